-- Runs as the login role. The following files run as the owner of the user table.

DO $body$
DECLARE
    owner text := (SELECT quote_ident(pg_get_userbyid(relowner)::text) FROM pg_class WHERE oid = @user_text@::regclass);
BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE 'the database must have the encoding UTF8';
    END IF;
    IF EXISTS (SELECT FROM pg_class WHERE oid = @user_text@::regclass AND relkind <> 'r')
        OR EXISTS (SELECT FROM pg_inherits WHERE @user_text@::regclass IN (inhparent, inhrelid)) THEN
        RAISE 'the user table must be a plain table, without partitions or child tables';
    END IF;
    IF (SELECT relrowsecurity FROM pg_class WHERE oid = @user_text@::regclass) THEN
        RAISE 'the user table must have no row security: the counts are those of all rows';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = @user_text@::regclass AND attname = @created_text@
                   AND attnotnull AND atttypid IN ('timestamp'::regtype, 'timestamptz'::regtype)) THEN
        RAISE 'the user table''s time of creation must be a timestamp and NOT NULL';
    END IF;
    IF EXISTS (SELECT FROM pg_attribute JOIN pg_type t ON t.oid = atttypid WHERE attrelid = @user_text@::regclass
               AND attname = @role_text@ AND typtype = 'e') THEN
        RAISE 'the column for the role must be text, not an enum, whose text PostgreSQL cannot index';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
        RAISE 'the pg_trgm extension is missing: install PostgreSQL''s contrib package';
    END IF;
    EXECUTE 'CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA '
        || (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = @user_text@::regclass);
    EXECUTE 'CREATE SCHEMA IF NOT EXISTS @scale@ AUTHORIZATION ' || owner;
    -- The owner of the schema could replace functions that run with the privileges of the table's
    -- owner.
    IF (SELECT nspowner FROM pg_namespace WHERE oid = @scale_text@::regnamespace)
        <> (SELECT relowner FROM pg_class WHERE oid = @user_text@::regclass) THEN
        RAISE 'schema @scale@ must belong to the owner of the user table; drop it or change its owner';
    END IF;
END $body$;
