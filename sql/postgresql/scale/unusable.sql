-- Returns a DROP INDEX statement for each index that must be created again: an index whose creation
-- was interrupted, an index by role without the column for index-only scans, and an index by last
-- activity on another column.

SELECT 'DROP INDEX CONCURRENTLY ' || i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = @user_text@::regclass AND c.relname = ANY (@index_names@)
    AND (NOT i.indisvalid OR (c.relname = @role_newest_text@ AND i.indnatts = i.indnkeyatts AND @has_role@))
    OR i.indrelid = to_regclass(@seen_table_text@) AND c.relname = @seen_index_text@::name AND pg_has_role(c.relowner, 'USAGE')
    AND (NOT i.indisvalid OR pg_get_indexdef(i.indexrelid, 1, false) <> quote_ident(@seen_column_text@));
