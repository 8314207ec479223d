-- The tables that mod_useradmin uses, for SQLite 3.35 and later.
--
-- They are the tables of better-auth 1.6 with its admin plugin (same names, types and constraints) and
-- mod_useradmin's own tables, useradmin_*. Existing tables are kept; only missing indexes are added,
-- such as the three at the end.
--
-- Dates are stored as text in UTC, such as 2026-11-20T23:30:19.717Z. Booleans are 0 or 1.
--
-- Run this file with "useradminctl schema" or sqlite3. Each statement ends with a semicolon at the end
-- of a line and contains no other semicolon.

CREATE TABLE IF NOT EXISTS "user" (
    "id"            text    NOT NULL PRIMARY KEY,
    "name"          text    NOT NULL,
    "email"         text    NOT NULL UNIQUE,
    "emailVerified" integer NOT NULL,
    "image"         text,
    "createdAt"     date    NOT NULL,
    "updatedAt"     date    NOT NULL,
    "role"          text,
    "banned"        integer,
    "banReason"     text,
    "banExpires"    date
);

CREATE TABLE IF NOT EXISTS "session" (
    "id"             text NOT NULL PRIMARY KEY,
    "expiresAt"      date NOT NULL,
    "token"          text NOT NULL UNIQUE,
    "createdAt"      date NOT NULL,
    "updatedAt"      date NOT NULL,
    "ipAddress"      text,
    "userAgent"      text,
    "userId"         text NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
    "impersonatedBy" text
);

CREATE TABLE IF NOT EXISTS "account" (
    "id"                    text NOT NULL PRIMARY KEY,
    "accountId"             text NOT NULL,
    "providerId"            text NOT NULL,
    "userId"                text NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE,
    "accessToken"           text,
    "refreshToken"          text,
    "idToken"               text,
    "accessTokenExpiresAt"  date,
    "refreshTokenExpiresAt" date,
    "scope"                 text,
    "password"              text,
    "createdAt"             date NOT NULL,
    "updatedAt"             date NOT NULL
);

-- Used by the application, by sign-in with a second factor (AuthUserAdminSecondFactor), and by
-- links sent by mail (UserAdminMailCommand).
CREATE TABLE IF NOT EXISTS "verification" (
    "id"         text NOT NULL PRIMARY KEY,
    "identifier" text NOT NULL,
    "value"      text NOT NULL,
    "expiresAt"  date NOT NULL,
    "createdAt"  date NOT NULL,
    "updatedAt"  date NOT NULL
);

-- Revoked privileges and sessions, for other servers and for the application. See "Cached sessions"
-- in the manual. If session_id is NULL, the row applies to all sessions of the user. Rows are
-- removed after 30 days. The columns are not quoted: useradminctl renames quoted names that begin
-- with user_ or session_.
CREATE TABLE IF NOT EXISTS "useradmin_revocation" (
    id         integer NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id    text    NOT NULL,
    session_id text,
    created_at date    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
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
CREATE INDEX IF NOT EXISTS "user_role_newest_idx" ON "user" (COALESCE("role", 'user'), "createdAt" DESC, "id");
-- For ending the sessions in which a user impersonates others.
CREATE INDEX IF NOT EXISTS "session_impersonatedBy_idx" ON "session" ("impersonatedBy") WHERE "impersonatedBy" IS NOT NULL;
