-- Removes the triggers, and the schema with the functions of the search index. Also removes the
-- objects of earlier versions.

SET LOCAL lock_timeout = '2s';
DO $body$
DECLARE
    own_tables text := (SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
                        WHERE relnamespace = to_regnamespace(@scale_text@) AND relkind = 'r');
BEGIN
    IF own_tables IS NOT NULL THEN
        -- The timeout is long enough: PostgreSQL cancels an autovacuum that has blocked another
        -- session for deadlock_timeout.
        EXECUTE 'LOCK TABLE ' || own_tables || ' IN SHARE UPDATE EXCLUSIVE MODE';
        LOCK TABLE @user@ IN ACCESS EXCLUSIVE MODE;
        -- A transaction that has read one of these tables may wait for the user table. The timeout
        -- is shorter than PostgreSQL's default deadlock_timeout of one second.
        SET LOCAL lock_timeout = '200ms';
        EXECUTE 'LOCK TABLE ' || own_tables || ' IN ACCESS EXCLUSIVE MODE';
    END IF;
END $body$;
DROP TRIGGER IF EXISTS @trigger@inserted ON @user@;
DROP TRIGGER IF EXISTS @trigger@updated ON @user@;
DROP TRIGGER IF EXISTS @trigger@deleted ON @user@;
DROP TRIGGER IF EXISTS @trigger@truncated ON @user@;
DROP SCHEMA IF EXISTS @scale@ CASCADE;
