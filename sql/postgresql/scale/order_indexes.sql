-- The indexes that "schema --no-scale" removes. The two that schema.sql also creates are kept.

SELECT 'DROP INDEX CONCURRENTLY ' || i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = @user_text@::regclass AND c.relname = ANY (@order_index_names@)
    OR i.indrelid IN (to_regclass(@user_text@), to_regclass(@session_text@)) AND c.relname = ANY (@seen_index_names@)
    AND pg_has_role(c.relowner, 'USAGE');
