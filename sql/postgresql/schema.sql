-- The tables that mod_useradmin uses, for PostgreSQL 13 and later.
--
-- They are the tables of better-auth 1.6 with its admin plugin (same names, types and constraints) and
-- mod_useradmin's own tables, useradmin_*. Existing tables are kept; only missing indexes are added,
-- such as the three at the end. On a large table in use, create those three by hand with CREATE INDEX
-- CONCURRENTLY before running this file.
--
-- Run this file with "useradminctl schema" or psql. Each statement ends with a semicolon at the end of
-- a line and contains no other semicolon.

CREATE TABLE IF NOT EXISTS "user" (
    "id"            text        NOT NULL PRIMARY KEY,
    "name"          text        NOT NULL,
    "email"         text        NOT NULL UNIQUE,
    "emailVerified" boolean     NOT NULL,
    "image"         text,
    "createdAt"     timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt"     timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "role"          text,
    "banned"        boolean,
    "banReason"     text,
    "banExpires"    timestamptz
);

CREATE TABLE IF NOT EXISTS "session" (
    "id"             text        NOT NULL PRIMARY KEY,
    "expiresAt"      timestamptz NOT NULL,
    "token"          text        NOT NULL UNIQUE,
    "createdAt"      timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt"      timestamptz NOT NULL,
    "ipAddress"      text,
    "userAgent"      text,
    "userId"         text        NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
    "impersonatedBy" text
);

CREATE TABLE IF NOT EXISTS "account" (
    "id"                    text        NOT NULL PRIMARY KEY,
    "accountId"             text        NOT NULL,
    "providerId"            text        NOT NULL,
    "userId"                text        NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
    "accessToken"           text,
    "refreshToken"          text,
    "idToken"               text,
    "accessTokenExpiresAt"  timestamptz,
    "refreshTokenExpiresAt" timestamptz,
    "scope"                 text,
    "password"              text,
    "createdAt"             timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt"             timestamptz NOT NULL
);

-- Used by the application, by sign-in with a second factor (AuthUserAdminSecondFactor), and by
-- links sent by mail (UserAdminMailCommand).
CREATE TABLE IF NOT EXISTS "verification" (
    "id"         text        NOT NULL PRIMARY KEY,
    "identifier" text        NOT NULL,
    "value"      text        NOT NULL,
    "expiresAt"  timestamptz NOT NULL,
    "createdAt"  timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt"  timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- Revoked privileges and sessions, for other servers and for the application. See "Cached sessions"
-- in the manual. If session_id is NULL, the row applies to all sessions of the user. Rows are
-- removed after 30 days. The columns are not quoted: useradminctl renames quoted names that begin
-- with user_ or session_.
CREATE TABLE IF NOT EXISTS "useradmin_revocation" (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id        text        NOT NULL,
    session_id     text,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    transaction_id xid8        NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX IF NOT EXISTS "useradmin_revocation_transaction_id_idx" ON "useradmin_revocation" (transaction_id);
CREATE INDEX IF NOT EXISTS "useradmin_revocation_created_at_idx" ON "useradmin_revocation" (created_at);

-- The API keys that a ban has disabled. Lifting the ban enables only these keys (UserAdminCleanUp).
-- The columns are not quoted, for the same reason.
CREATE TABLE IF NOT EXISTS "useradmin_disabled_key" (
    user_id text NOT NULL,
    key_id  text NOT NULL,
    PRIMARY KEY (user_id, key_id)
);

-- Counters of failed sign-in attempts (AuthUserAdminSignInLimit with "shared"), of sent messages,
-- and of changes made by bulk requests. subject is a digest, and expires_at is in seconds since
-- 1970.
CREATE TABLE IF NOT EXISTS "useradmin_attempt" (
    subject    text   NOT NULL PRIMARY KEY,
    failures   bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS "useradmin_attempt_expires_at_idx" ON "useradmin_attempt" (expires_at);

CREATE INDEX IF NOT EXISTS "session_userId_idx" ON "session" ("userId");
CREATE INDEX IF NOT EXISTS "account_userId_idx" ON "account" ("userId");
CREATE INDEX IF NOT EXISTS "verification_identifier_idx" ON "verification" ("identifier");

-- For pages of the list, newest first.
CREATE INDEX IF NOT EXISTS "user_newest_idx" ON "user" ("createdAt" DESC, "id");
-- For pages and the total of the list filtered by role. A missing role means "user".
CREATE INDEX IF NOT EXISTS "user_role_newest_idx" ON "user" (COALESCE("role", 'user'), "createdAt" DESC, "id") INCLUDE ("role");
-- For ending the sessions in which a user impersonates others.
CREATE INDEX IF NOT EXISTS "session_impersonatedBy_idx" ON "session" ("impersonatedBy") WHERE "impersonatedBy" IS NOT NULL;
