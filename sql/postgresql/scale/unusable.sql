-- Indexes to recreate: those whose creation was interrupted, and an index by role without the role
-- column, which an index-only scan needs.

SELECT 'DROP INDEX CONCURRENTLY ' || i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = @user_text@::regclass AND c.relname = ANY (@index_names@)
    AND (NOT i.indisvalid OR (c.relname = @role_newest_text@ AND i.indnatts = i.indnkeyatts AND @has_role@));
