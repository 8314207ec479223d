-- Returns whether triggers of another table use the schema, whether the user table has all four
-- triggers, whether the search functions exist, and whether an earlier version created the "counts"
-- table with other columns.

SELECT coalesce(bool_or(t.tgrelid <> @user_text@::regclass), false),
    count(*) FILTER (WHERE t.tgrelid = @user_text@::regclass AND t.tgenabled IN ('O', 'A')) = 4,
    to_regprocedure(@scale_text@ || '.searched(text, text)') IS NOT NULL,
    to_regclass(@scale_text@ || '.counts') IS NOT NULL
        AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass(@scale_text@ || '.counts')
                        AND attname = 'is_banned')
FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid
WHERE f.pronamespace = to_regnamespace(@scale_text@) AND starts_with(t.tgname::text, @trigger_text@);
