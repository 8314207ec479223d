-- The columns of better-auth's admin plugin, for a "user" table that was created without it.
--
-- "useradminctl schema" adds the missing columns. Adding them does not rewrite the table.

ALTER TABLE "user" ADD COLUMN IF NOT EXISTS "role" text;
ALTER TABLE "user" ADD COLUMN IF NOT EXISTS "banned" boolean;
ALTER TABLE "user" ADD COLUMN IF NOT EXISTS "banReason" text;
ALTER TABLE "user" ADD COLUMN IF NOT EXISTS "banExpires" timestamptz;
