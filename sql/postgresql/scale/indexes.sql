-- Each index is created separately, while the table stays in use.

CREATE INDEX CONCURRENTLY IF NOT EXISTS @newest@ ON @user@ (@created@ DESC, @id@);
CREATE INDEX CONCURRENTLY IF NOT EXISTS @role_newest@ ON @user@ ((@role@), @created@ DESC, @id@)@include_role@;
CREATE INDEX CONCURRENTLY IF NOT EXISTS @by_name@ ON @user@ ((@name_key@), @id@)@include_name@;
CREATE INDEX CONCURRENTLY IF NOT EXISTS @by_email@ ON @user@ ((@email_key@), @id@)@include_email@;
CREATE INDEX CONCURRENTLY IF NOT EXISTS @by_update@ ON @user@ (@updated@ DESC, @id@)@include_role@;
CREATE INDEX CONCURRENTLY IF NOT EXISTS @searched_index@ ON @user@ USING gin ((@searched@) @trgm@.gin_trgm_ops)
    WITH (gin_pending_list_limit = 128);
