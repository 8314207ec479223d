-- Takes all of it away. The two indexes of the user table stay that schema.sql lays too, and the extension pg_trgm.

SET LOCAL lock_timeout = '2s';
DO $body$
DECLARE
    order_index text;
    own_tables text := (SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
                        WHERE relnamespace = to_regnamespace(@scale_text@) AND relkind = 'r');
BEGIN
    IF own_tables IS NOT NULL THEN
        -- An automatic vacuum ends itself for whoever waits this long.
        EXECUTE 'LOCK TABLE ' || own_tables || ' IN SHARE UPDATE EXCLUSIVE MODE';
        LOCK TABLE @user@ IN ACCESS EXCLUSIVE MODE;
        -- A list may have read one of these and wait for the user table: this gives up before the database
        -- takes that for a deadlock, which it looks for after a second.
        SET LOCAL lock_timeout = '200ms';
        EXECUTE 'LOCK TABLE ' || own_tables || ' IN ACCESS EXCLUSIVE MODE';
    END IF;
    FOR order_index IN
        SELECT i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = @user_text@::regclass AND '"' || replace(c.relname, '"', '""') || '"' IN (@by_any_texts@)
    LOOP
        EXECUTE 'DROP INDEX ' || order_index;
    END LOOP;
END $body$;
DROP TRIGGER IF EXISTS @trigger@inserted ON @user@;
DROP TRIGGER IF EXISTS @trigger@updated ON @user@;
DROP TRIGGER IF EXISTS @trigger@deleted ON @user@;
DROP TRIGGER IF EXISTS @trigger@truncated ON @user@;
DROP SCHEMA IF EXISTS @scale@ CASCADE;
