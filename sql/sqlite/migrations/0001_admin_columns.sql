-- The columns of better-auth's admin plugin, for a "user" table that was created without it.
--
-- "useradminctl schema" adds only the missing columns. If you run this file by hand, omit the
-- statements for columns that already exist, because SQLite rejects them.

ALTER TABLE "user" ADD COLUMN "role" text;
ALTER TABLE "user" ADD COLUMN "banned" integer;
ALTER TABLE "user" ADD COLUMN "banReason" text;
ALTER TABLE "user" ADD COLUMN "banExpires" date;
