-- Removes what mod_useradmin has added to an application's database, for SQLite: the tables of
-- revocations, failed sign-in attempts, and disabled API keys, and three indexes.
--
-- The tables of users, sessions, accounts and API keys are kept with their columns. The indexes on
-- "userId" and "identifier" are also kept, because better-auth creates them. The indexes are named
-- after their tables: if these are not "user" and "session" (UserAdminTables), edit the DROP INDEX
-- statements.
--
-- Disable the modules, then run this file with sqlite3.

BEGIN;
DROP TABLE IF EXISTS "useradmin_revocation";
DROP TABLE IF EXISTS "useradmin_attempt";
DROP TABLE IF EXISTS "useradmin_disabled_key";
DROP INDEX IF EXISTS "user_newest_idx";
DROP INDEX IF EXISTS "user_role_newest_idx";
DROP INDEX IF EXISTS "session_impersonatedBy_idx";
COMMIT;
