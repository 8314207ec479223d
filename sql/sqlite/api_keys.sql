-- The table of API keys (AuthUserAdminApiKey), for SQLite 3.35 and later.
--
-- It has the same names, types and indexes as the table of better-auth's plugin
-- (@better-auth/api-key 1.7). Run this file with "useradminctl schema --api-keys" or sqlite3, but
-- only if no application has the plugin.

CREATE TABLE IF NOT EXISTS "apikey" (
    "id"                  text    NOT NULL PRIMARY KEY,
    "configId"            text    NOT NULL,
    "name"                text,
    "start"               text,
    "referenceId"         text    NOT NULL,
    "prefix"              text,
    "key"                 text    NOT NULL,
    "refillInterval"      integer,
    "refillAmount"        integer,
    "lastRefillAt"        date,
    "enabled"             integer,
    "rateLimitEnabled"    integer,
    "rateLimitTimeWindow" integer,
    "rateLimitMax"        integer,
    "requestCount"        integer,
    "remaining"           integer,
    "lastRequest"         date,
    "expiresAt"           date,
    "createdAt"           date    NOT NULL,
    "updatedAt"           date    NOT NULL,
    "permissions"         text,
    "metadata"            text
);
CREATE INDEX IF NOT EXISTS "apikey_configId_idx" ON "apikey" ("configId");
CREATE INDEX IF NOT EXISTS "apikey_referenceId_idx" ON "apikey" ("referenceId");
CREATE INDEX IF NOT EXISTS "apikey_key_idx" ON "apikey" ("key");
