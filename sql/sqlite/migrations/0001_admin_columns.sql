-- The columns of better-auth's admin plugin, for a "user" table that was created without it.
--
-- "useradminctl schema" adds those that the table lacks. By hand, run only those: SQLite rejects
-- columns that exist.

ALTER TABLE "user" ADD COLUMN "role" text;
ALTER TABLE "user" ADD COLUMN "banned" integer;
ALTER TABLE "user" ADD COLUMN "banReason" text;
ALTER TABLE "user" ADD COLUMN "banExpires" date;
