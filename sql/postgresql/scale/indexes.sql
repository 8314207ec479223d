-- Each on its own, while the tables stay in use.

SELECT set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), quote_ident(n.nspname::text)), false)
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm';
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_newest ON @scale@.users (created DESC, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_folded ON @scale@.users USING gin (folded gin_trgm_ops)
    WITH (gin_pending_list_limit = 128);
CREATE INDEX CONCURRENTLY IF NOT EXISTS @newest@ ON @user@ (@created@ DESC, @id@);
CREATE INDEX CONCURRENTLY IF NOT EXISTS @role_newest@ ON @user@ ((@role@), @created@ DESC, @id@);
CREATE INDEX CONCURRENTLY IF NOT EXISTS @by_name@ ON @user@ ((@name_key@), @id@)@include_name@;
CREATE INDEX CONCURRENTLY IF NOT EXISTS @by_email@ ON @user@ ((@email_key@), @id@)@include_email@;
CREATE INDEX CONCURRENTLY IF NOT EXISTS @by_update@ ON @user@ (@updated@ DESC, @id@)@include_role@;
