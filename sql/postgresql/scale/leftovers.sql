-- Indexes that were being made when somebody stopped it.

SELECT 'DROP INDEX CONCURRENTLY ' || i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid AND ((i.indrelid = @user_text@::regclass AND '"' || replace(c.relname, '"', '""') || '"' IN (@newest_text@, @role_newest_text@, @by_any_texts@))
    OR c.relnamespace = @scale_text@::regnamespace);
