-- The indexes that "schema --no-scale" removes. The two that schema.sql also creates are kept.

SELECT 'DROP INDEX CONCURRENTLY ' || i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = @user_text@::regclass AND c.relname = ANY (@order_index_names@);
