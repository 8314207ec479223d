-- The columns of better-auth's admin plugin, for a "user" table that was made without it.
--
-- "useradminctl schema" runs those that the table lacks. By hand: run only those, since SQLite refuses
-- to add a column that is there.

ALTER TABLE "user" ADD COLUMN "role" text;
ALTER TABLE "user" ADD COLUMN "banned" integer;
ALTER TABLE "user" ADD COLUMN "banReason" text;
ALTER TABLE "user" ADD COLUMN "banExpires" date;
