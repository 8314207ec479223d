-- Removes what mod_useradmin has added to an application's database, for SQLite: the tables of
-- revocations, failed sign-in attempts, and disabled API keys, and two indexes of the user table.
--
-- The tables of users, sessions, accounts and API keys are kept with their columns. The indexes are
-- named after the user table: if it is not "user" (UserAdminTables), edit the two DROP INDEX statements.
--
-- Disable the modules, then run this file with sqlite3.

BEGIN;
DROP TABLE IF EXISTS "useradmin_revocation";
DROP TABLE IF EXISTS "useradmin_attempt";
DROP TABLE IF EXISTS "useradmin_disabled_key";
DROP INDEX IF EXISTS "user_newest_idx";
DROP INDEX IF EXISTS "user_role_newest_idx";
COMMIT;
