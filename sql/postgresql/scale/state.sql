-- Whether the copy was laid, and whether it is watched.

SELECT to_regnamespace(@scale_text@) IS NOT NULL,
    (SELECT count(*) = 4 FROM pg_trigger WHERE tgrelid = @user_text@::regclass AND starts_with(tgname, @trigger_text@));
