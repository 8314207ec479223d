-- The columns of better-auth's admin plugin, for a "user" table that was created without it.
--
-- "useradminctl schema" adds the missing ones. By hand, run only their statements: SQLite rejects
-- columns that exist.

ALTER TABLE "user" ADD COLUMN "role" text;
ALTER TABLE "user" ADD COLUMN "banned" integer;
ALTER TABLE "user" ADD COLUMN "banReason" text;
ALTER TABLE "user" ADD COLUMN "banExpires" date;
