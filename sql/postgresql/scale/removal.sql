-- Removes the triggers and the schema, with the index of searches; also what earlier versions made there.

SET LOCAL lock_timeout = '2s';
DO $body$
DECLARE
    own_tables text := (SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
                        WHERE relnamespace = to_regnamespace(@scale_text@) AND relkind = 'r');
BEGIN
    IF own_tables IS NOT NULL THEN
        -- An automatic vacuum cancels itself when another session has waited this long.
        EXECUTE 'LOCK TABLE ' || own_tables || ' IN SHARE UPDATE EXCLUSIVE MODE';
        LOCK TABLE @user@ IN ACCESS EXCLUSIVE MODE;
        -- A transaction may have read one of these and wait for the user table. This gives up before PostgreSQL
        -- looks for deadlocks, which it does after a second.
        SET LOCAL lock_timeout = '200ms';
        EXECUTE 'LOCK TABLE ' || own_tables || ' IN ACCESS EXCLUSIVE MODE';
    END IF;
END $body$;
DROP TRIGGER IF EXISTS @trigger@inserted ON @user@;
DROP TRIGGER IF EXISTS @trigger@updated ON @user@;
DROP TRIGGER IF EXISTS @trigger@deleted ON @user@;
DROP TRIGGER IF EXISTS @trigger@truncated ON @user@;
DROP SCHEMA IF EXISTS @scale@ CASCADE;
