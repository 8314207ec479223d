-- Whether the copy was laid, whether a trigger of the user table or of another one reaches it, and whether
-- all four of the user table do; whether it has marks.

SELECT to_regnamespace(@scale_text@) IS NOT NULL, coalesce(bool_or(t.tgrelid = @user_text@::regclass), false),
    coalesce(bool_or(t.tgrelid <> @user_text@::regclass), false),
    count(*) FILTER (WHERE t.tgrelid = @user_text@::regclass AND t.tgenabled IN ('O', 'A')) = 4,
    to_regclass(@scale_text@ || '.changes') IS NOT NULL
FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid
WHERE f.pronamespace = to_regnamespace(@scale_text@) AND starts_with(t.tgname::text, @trigger_text@);
