-- Removes what mod_useradmin has added to an application's database, for PostgreSQL 13 and later: the
-- triggers, schema and indexes of "useradminctl schema --scale", the tables of revocations, failed
-- sign-in attempts, and disabled API keys, and the indexes that only mod_useradmin uses.
--
-- The tables of users, sessions, accounts and API keys are kept with their columns. The indexes on
-- "userId" and "identifier" are also kept, because better-auth creates them, and so is the pg_trgm
-- extension, because the application may use it. For the database roles, see "Removing" in the
-- manual.
--
-- Disable the modules, then run this file with psql as the owner of the user table. It removes only
-- this role's objects. If a superuser runs it, it removes the objects of all applications in the
-- database. If it fails, nothing was changed. If it timed out waiting for a lock, run it again.

-- Shorter than deadlock_timeout, so a deadlock aborts this script, not a transaction of the
-- application.
SET lock_timeout = '900ms';
DO $body$
DECLARE
    command text;
BEGIN
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    FOR command IN
        SELECT text FROM (
            -- Writers lock the user table before the counts.
            SELECT 1, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', tgrelid::regclass)
            FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
            WHERE starts_with(tgname::text, 'useradmin_scale_') AND pg_has_role(c.relowner, 'USAGE')
            UNION
            -- The triggers and the index for searches use the functions of the schema.
            SELECT 2, format('DROP SCHEMA %I CASCADE', n.nspname) FROM pg_namespace n
            WHERE starts_with(n.nspname::text, 'useradmin_') AND pg_has_role(n.nspowner, 'USAGE')
                AND EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'counts')
                AND EXISTS (SELECT FROM pg_proc WHERE pronamespace = n.oid AND prorettype = 'trigger'::regtype)
            UNION
            SELECT 3, format('DROP TABLE %s', oid::regclass) FROM pg_class
            WHERE relkind = 'r' AND pg_has_role(relowner, 'USAGE')
                AND relname IN ('useradmin_revocation', 'useradmin_attempt', 'useradmin_disabled_key')
            UNION
            -- The names of these indexes begin with the name of the user table. A table without the
            -- first two is not a user table of mod_useradmin.
            SELECT 4, format('DROP INDEX %s', i.indexrelid::regclass)
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
            WHERE c.relname = ANY (ARRAY[t.relname || '_newest_idx', t.relname || '_role_newest_idx', t.relname || '_by_name_idx',
                                         t.relname || '_by_email_idx', t.relname || '_by_update_idx']::name[])
                AND pg_has_role(t.relowner, 'USAGE')
                AND 2 = (SELECT count(*) FROM pg_index j JOIN pg_class d ON d.oid = j.indexrelid
                         WHERE j.indrelid = t.oid
                             AND d.relname = ANY (ARRAY[t.relname || '_newest_idx', t.relname || '_role_newest_idx']::name[]))
            UNION
            -- The first index is on the session table or on the user table.
            SELECT 5, format('DROP INDEX %s', i.indexrelid::regclass)
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
            WHERE c.relname = ANY (ARRAY[t.relname || '_useradmin_seen_idx', t.relname || '_impersonatedBy_idx']::name[])
                AND pg_has_role(t.relowner, 'USAGE')
        ) AS commands (step, text)
        ORDER BY step, text
    LOOP
        EXECUTE command;
    END LOOP;
END $body$;
RESET lock_timeout;
