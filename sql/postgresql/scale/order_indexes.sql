-- The indexes of the orders, which "schema --no-scale" removes; the two that schema.sql makes as well stay.

SELECT 'DROP INDEX CONCURRENTLY ' || i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = @user_text@::regclass AND c.relname = ANY (@order_index_names@);
