-- The columns of better-auth's admin plugin, for a "user" table that was created without it.
--
-- "useradminctl schema" adds only the missing columns. By hand, run only the statements for those,
-- because SQLite rejects columns that already exist.

ALTER TABLE "user" ADD COLUMN "role" text;
ALTER TABLE "user" ADD COLUMN "banned" integer;
ALTER TABLE "user" ADD COLUMN "banReason" text;
ALTER TABLE "user" ADD COLUMN "banExpires" date;
