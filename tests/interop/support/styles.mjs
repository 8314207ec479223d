// The variants of an application's schema.
import { load } from "./machine.mjs";

const { drizzle } = await load("drizzle-orm/node-postgres");
const { boolean, pgTable, text, timestamp } = await load("drizzle-orm/pg-core");

// The schema that the library's generator writes for drizzle.
const user = pgTable("user", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  email: text("email").notNull().unique(),
  emailVerified: boolean("email_verified").default(false).notNull(),
  image: text("image"),
  createdAt: timestamp("created_at").defaultNow().notNull(),
  updatedAt: timestamp("updated_at")
    .defaultNow()
    .$onUpdate(() => new Date())
    .notNull(),
  role: text("role"),
  banned: boolean("banned").default(false),
  banReason: text("ban_reason"),
  banExpires: timestamp("ban_expires"),
});
const session = pgTable("session", {
  id: text("id").primaryKey(),
  expiresAt: timestamp("expires_at").notNull(),
  token: text("token").notNull().unique(),
  createdAt: timestamp("created_at").defaultNow().notNull(),
  updatedAt: timestamp("updated_at")
    .$onUpdate(() => new Date())
    .notNull(),
  ipAddress: text("ip_address"),
  userAgent: text("user_agent"),
  userId: text("user_id")
    .notNull()
    .references(() => user.id, { onDelete: "cascade" }),
  impersonatedBy: text("impersonated_by"),
});
const account = pgTable("account", {
  id: text("id").primaryKey(),
  accountId: text("account_id").notNull(),
  providerId: text("provider_id").notNull(),
  userId: text("user_id")
    .notNull()
    .references(() => user.id, { onDelete: "cascade" }),
  accessToken: text("access_token"),
  refreshToken: text("refresh_token"),
  idToken: text("id_token"),
  accessTokenExpiresAt: timestamp("access_token_expires_at"),
  refreshTokenExpiresAt: timestamp("refresh_token_expires_at"),
  scope: text("scope"),
  password: text("password"),
  createdAt: timestamp("created_at").defaultNow().notNull(),
  updatedAt: timestamp("updated_at")
    .$onUpdate(() => new Date())
    .notNull(),
});
const verification = pgTable("verification", {
  id: text("id").primaryKey(),
  identifier: text("identifier").notNull(),
  value: text("value").notNull(),
  expiresAt: timestamp("expires_at").notNull(),
  createdAt: timestamp("created_at").defaultNow().notNull(),
  updatedAt: timestamp("updated_at")
    .defaultNow()
    .$onUpdate(() => new Date())
    .notNull(),
});

// The same schema as drizzle-kit creates it.
const drizzleTables = `
CREATE TABLE "account" (
  "id" text PRIMARY KEY NOT NULL, "account_id" text NOT NULL, "provider_id" text NOT NULL, "user_id" text NOT NULL,
  "access_token" text, "refresh_token" text, "id_token" text, "access_token_expires_at" timestamp,
  "refresh_token_expires_at" timestamp, "scope" text, "password" text, "created_at" timestamp DEFAULT now() NOT NULL,
  "updated_at" timestamp NOT NULL
);
CREATE TABLE "session" (
  "id" text PRIMARY KEY NOT NULL, "expires_at" timestamp NOT NULL, "token" text NOT NULL,
  "created_at" timestamp DEFAULT now() NOT NULL, "updated_at" timestamp NOT NULL, "ip_address" text,
  "user_agent" text, "user_id" text NOT NULL, "impersonated_by" text,
  CONSTRAINT "session_token_unique" UNIQUE("token")
);
CREATE TABLE "user" (
  "id" text PRIMARY KEY NOT NULL, "name" text NOT NULL, "email" text NOT NULL,
  "email_verified" boolean DEFAULT false NOT NULL, "image" text, "created_at" timestamp DEFAULT now() NOT NULL,
  "updated_at" timestamp DEFAULT now() NOT NULL, "role" text, "banned" boolean DEFAULT false, "ban_reason" text,
  "ban_expires" timestamp,
  CONSTRAINT "user_email_unique" UNIQUE("email")
);
CREATE TABLE "verification" (
  "id" text PRIMARY KEY NOT NULL, "identifier" text NOT NULL, "value" text NOT NULL, "expires_at" timestamp NOT NULL,
  "created_at" timestamp DEFAULT now() NOT NULL, "updated_at" timestamp DEFAULT now() NOT NULL
);
ALTER TABLE "account" ADD CONSTRAINT "account_user_id_user_id_fk" FOREIGN KEY ("user_id")
  REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_user_id_fk" FOREIGN KEY ("user_id")
  REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "account_userId_idx" ON "account" USING btree ("user_id");
CREATE INDEX "session_userId_idx" ON "session" USING btree ("user_id");
CREATE INDEX "verification_identifier_idx" ON "verification" USING btree ("identifier")`;

const timestampsWithoutZone = `
DO $$
DECLARE
  found record;
BEGIN
  FOR found IN SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'timestamp with time zone'
  LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN %I TYPE timestamp USING %2$I AT TIME ZONE ''UTC''',
      found.table_name, found.column_name);
  END LOOP;
END $$`;

const snakeCase = {
  user: {
    fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
  },
  session: {
    fields: {
      expiresAt: "expires_at",
      createdAt: "created_at",
      updatedAt: "updated_at",
      ipAddress: "ip_address",
      userAgent: "user_agent",
      userId: "user_id",
    },
  },
  account: {
    fields: {
      accountId: "account_id",
      providerId: "provider_id",
      userId: "user_id",
      accessToken: "access_token",
      refreshToken: "refresh_token",
      idToken: "id_token",
      accessTokenExpiresAt: "access_token_expires_at",
      refreshTokenExpiresAt: "refresh_token_expires_at",
      createdAt: "created_at",
      updatedAt: "updated_at",
    },
  },
};

/**
 * A style has the application's options, SQL for the schema (`create` replaces the library's migration, `alter` runs after
 * it), and the module's directives. Passwords are argon2id unless `hash` is scrypt, which takes the library longest.
 */
export const asMigrated = { name: "camelCase, text ids", hash: "scrypt" };

export const sqliteStyle = { name: "SQLite", isOnSqlite: true };

export const drizzleStyle = {
  name: "snake_case, drizzle",
  create: drizzleTables,
  snakeCase: true,
  adapter: async (version, database) => {
    const { drizzleAdapter } = await load(`${version.packageName}/adapters/drizzle`);
    const schema = { user, session, account, verification };
    return drizzleAdapter(drizzle(database.pool, { schema }), { provider: "pg", schema });
  },
};

const serial = {
  options: { advanced: { database: { generateId: "serial" } } },
  serial: true,
};

/** Ids generated by the database. The library declares them as identity columns of type integer. */
export const serialStyle = { ...serial, name: "serial ids" };

// Ids beyond the range of integer, with a sequence as the default, as other migration tools declare them.
const bigSerialTables = ["user", "session", "account"]
  .map(
    (table) => `
ALTER TABLE "${table}" ALTER "id" DROP IDENTITY, ALTER "id" TYPE bigint;
CREATE SEQUENCE "${table}_ids" START 3000000000 OWNED BY "${table}"."id";
ALTER TABLE "${table}" ALTER "id" SET DEFAULT nextval('${table}_ids');
${table === "user" ? "" : `ALTER TABLE "${table}" ALTER "userId" TYPE bigint;`}`,
  )
  .join("");

export const bigSerialStyle = { ...serial, name: "bigserial ids", alter: bigSerialTables };

export const uuidStyle = {
  name: "uuid ids",
  options: { advanced: { database: { generateId: "uuid" } } },
  // Fails if the library has declared another type.
  alter: 'ALTER TABLE "user" ALTER "id" TYPE uuid',
};

export const timestampStyle = { name: "timestamp without time zone", alter: timestampsWithoutZone };

export const mappedStyle = { name: "snake_case, mapped fields", options: snakeCase, snakeCase: true };

export const styles = [
  asMigrated,
  uuidStyle,
  serialStyle,
  timestampStyle,
  drizzleStyle,
  mappedStyle,
  {
    name: "other table names",
    options: {
      user: { modelName: "users" },
      session: { modelName: "sessions" },
      account: { modelName: "accounts" },
    },
    users: "users",
    directives: "UserAdminTables users sessions accounts\n",
  },
  {
    name: "extra columns",
    options: {
      user: {
        additionalFields: {
          plan: { type: "string", required: true, defaultValue: "free" },
          credits: { type: "number", required: true, defaultValue: 3 },
          newsletter: { type: "boolean", required: true, defaultValue: true },
          phone: { type: "string", required: false },
        },
      },
    },
    alter: `ALTER TABLE "user" ALTER "plan" SET DEFAULT 'free', ALTER "credits" SET DEFAULT 3,
      ALTER "newsletter" SET DEFAULT true`,
  },
];
