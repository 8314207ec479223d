// The databases: created at first use, kept for later runs, and created again when their sources have changed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { accountOfChildren } from "../../javascript/httpd.mjs";
import {
  built,
  folder,
  load,
  pause,
  postgresqlProgram,
  repository,
  run,
  Skipped,
  socket,
} from "./machine.mjs";

const { default: pg } = await load("pg");

const textOf = (path) => readFileSync(join(repository, path), "utf8");
const schema = textOf("sql/postgresql/schema.sql");
const fill = textOf("tests/bench/users.sql");

const digest = (...texts) => {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex");
};

/** Returns the contents of all files below a directory of the repository as one string. */
const allBelow = (path) =>
  readdirSync(join(repository, path))
    .toSorted()
    .map((name) => {
      const inner = join(path, name);
      return statSync(join(repository, inner)).isDirectory() ? allBelow(inner) : name + textOf(inner);
    })
    .join("\n");

const plainMark = digest(schema, fill);
const scaledMark = digest(plainMark, allBelow("sql/postgresql"));
const sqliteMark = digest(plainMark, allBelow("sql/sqlite"));

/** Runs the function with one connection. */
export const connected = async (database, work) => {
  const client = new pg.Client({ host: socket, user: "useradmin", database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const onServer = (sql, values) => connected("useradmin", (client) => client.query(sql, values));

/** Returns the id of the user with this number in users.sql. */
export const idOf = (number) =>
  createHash("md5")
    .update(`user ${number}`)
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** Returns a caller for a test. The id and the token are derived from the number. */
const callerOf = (number) => ({
  id: idOf(number),
  token: createHash("md5").update(`session ${number}`).digest("hex"),
});
export const callers = {
  superAdmin: { ...callerOf(1), role: "superAdmin" },
  admin: { ...callerOf(2), role: "admin" },
};

/** Waits until PostgreSQL is idle: requests that wrk abandoned may still be running. */
export const waitForIdleDatabase = () =>
  connected("useradmin", async (client) => {
    const isBusy = async () => {
      const { rows } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()",
      );
      return rows.length > 0;
    };
    // Check twice in a row, because a server may have more requests waiting.
    for (let quiet = 0; quiet < 2; await pause(50)) quiet = (await isBusy()) ? 0 : quiet + 1;
  });

const say = (text) => process.stderr.write(`${text}\n`);

const hasMark = async (name, mark) => {
  const { rows } = await onServer(
    "SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = $1",
    [name],
  );
  return rows[0]?.mark === mark;
};

export const drop = async (name) => {
  // WITH (FORCE) fails if an autovacuum worker is connected; a plain DROP terminates it.
  await onServer(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND usename = current_user",
    [name],
  );
  await onServer(`DROP DATABASE IF EXISTS ${name}`);
};

/** Copies a database that has no connections. */
export const copy = async (from, to) => {
  await drop(to);
  const { rows } = await onServer("SHOW server_version_num");
  // PostgreSQL 15 and later default to WAL_LOG, which writes every page twice.
  const strategy = Number(rows[0].server_version_num) >= 150000 ? "STRATEGY file_copy" : "";
  await onServer(`CREATE DATABASE ${to} TEMPLATE ${from} ${strategy}`);
};

const finish = async (name, mark) => {
  await connected(name, (client) => client.query("VACUUM (FREEZE, ANALYZE)"));
  // The mark is written last, so an interrupted copy is created again.
  await onServer(`COMMENT ON DATABASE ${name} IS '${mark}'`);
};

const makePlain = async (users) => {
  const name = `users_${users}`;
  if (await hasMark(name, plainMark)) return name;
  say(`Making ${users.toLocaleString("en")} users`);
  await drop(name);
  await onServer(`CREATE DATABASE ${name}`);
  await connected(name, async (client) => {
    await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'");
    // Adding constraints and indexes after the rows is much faster and has the same result.
    await client.query(
      /^CREATE TABLE IF NOT EXISTS "user" \(.*?^\);/ms.exec(schema)[0].replace(/ PRIMARY KEY| UNIQUE/g, ""),
    );
    await client.query(fill, [users]);
    await client.query('ALTER TABLE "user" ADD PRIMARY KEY ("id"), ADD UNIQUE ("email")');
    await client.query(schema);
    await client.query(
      `INSERT INTO "session" ("id", "token", "userId", "expiresAt", "createdAt", "updatedAt")
        SELECT md5('id ' || n), md5('session ' || n), md5('user ' || n)::uuid::text, now() + interval '10 years', now(), now()
        FROM generate_series(1, 1000) n`,
    );
  });
  await finish(name, plainMark);
  return name;
};

export const useradminctl = (database, ...words) =>
  run(built("useradminctl"), ["--driver", "pgsql", "--params", params(database), ...words]);

const makeScaled = async (users) => {
  const help = await run(built("useradminctl"), ["schema", "--help"]);
  if (!help.output.includes("--scale")) throw new Skipped("not there yet: useradminctl schema --scale");
  const from = await makePlain(users);
  const name = `scaled_${users}`;
  if (await hasMark(name, scaledMark)) return name;
  say(`Scaling ${users.toLocaleString("en")} users`);
  await copy(from, name);
  const { status, error } = await useradminctl(name, "schema", "--scale");
  if (status !== 0) {
    await drop(name);
    throw new Error(`useradminctl schema --scale failed:\n${error}`);
  }
  await finish(name, scaledMark);
  return name;
};

const sqliteColumns = [
  '"id"',
  '"name"',
  '"email"',
  '"emailVerified"::int',
  '"image"',
  ...["createdAt", "updatedAt"].map(
    (column) => `to_char("${column}" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  ),
  '"role"',
  '"banned"::int',
  '"banReason"',
  `to_char("banExpires" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
];

const done = ({ status, error }, what) => {
  if (status !== 0) throw new Error(`${what} failed:\n${error}`);
};

const sqliteHome = join(folder, "sqlite");

/** Removes an SQLite file with its journal, WAL and mark. */
const removeSqlite = (file) => {
  for (const suffix of ["", "-wal", "-shm", "-journal", ".made"]) rmSync(file + suffix, { force: true });
};

/** Makes the children's account the owner of the SQLite files. */
const chownToChildren = async () => {
  const account = await accountOfChildren();
  if (!account) return;
  done(await run("chown", ["-R", `${account.user}:`, sqliteHome]), "chown");
  done(await run("chmod", ["700", sqliteHome]), "chmod");
};

/** Copies the users from PostgreSQL to an SQLite file. */
const makeSqlite = async (users) => {
  const from = await makePlain(users);
  const file = join(sqliteHome, `users_${users}.db`);
  const mark = `${file}.made`;
  if (existsSync(mark) && readFileSync(mark, "utf8") === sqliteMark) return file;
  say(`Making ${users.toLocaleString("en")} users for SQLite`);
  mkdirSync(sqliteHome, { recursive: true });
  removeSqlite(file);
  done(
    await run(built("useradminctl"), ["--driver", "sqlite3", "--params", file, "schema"]),
    "useradminctl schema",
  );
  const rows = `${file}.csv`;
  const psql = ["-X", "-q", "-h", socket, "-U", "useradmin", "-d", from, "-v", "ON_ERROR_STOP=1", "-c"];
  const select = `SELECT ${sqliteColumns.join(", ")} FROM "user" ORDER BY "createdAt"`;
  done(
    await run(postgresqlProgram("psql"), [...psql, `\\copy (${select}) TO '${rows}' (FORMAT csv)`]),
    "psql",
  );
  const known =
    '"id", "name", "email", "emailVerified", "image", "createdAt", "updatedAt", "role", "banned", "banReason", "banExpires"';
  const values = known
    .split(", ")
    .map((column) => `NULLIF(${column}, '')`)
    .join(", ");
  done(
    await run(
      "sqlite3",
      ["-batch", "-bail", file],
      `.mode csv
CREATE TEMP TABLE lines (${known});
.import '${rows}' lines
INSERT INTO "user" (${known}) SELECT ${values} FROM lines;
INSERT INTO "session" ("id", "token", "userId", "expiresAt", "createdAt", "updatedAt") VALUES
${Object.values(callers)
  .map(
    ({ id, token, role }) =>
      `('${role}', '${token}', '${id}', '2100-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
  )
  .join(",\n")};
ANALYZE;
PRAGMA wal_checkpoint(TRUNCATE);
`,
    ),
    "sqlite3",
  );
  rmSync(rows);
  writeFileSync(mark, sqliteMark);
  return file;
};

/** Returns the DBDParams of a PostgreSQL database. */
export const params = (name) => `host='${socket}' user=useradmin dbname=${name} connect_timeout=3`;

const make = async ({ users, isScaled, isSqlite }) => {
  if (isSqlite) {
    const file = await makeSqlite(users);
    await chownToChildren();
    return { driver: "sqlite3", params: file, name: file };
  }
  const name = isScaled ? await makeScaled(users) : await makePlain(users);
  return { driver: "pgsql", params: params(name), name };
};

const made = new Map();

/** Returns a database as {driver, params, name}. Creates it at first use. Throws Skipped if it is not available yet. */
export const database = (wanted) => {
  const key = JSON.stringify(wanted);
  if (!made.has(key)) made.set(key, make(wanted));
  return made.get(key);
};

const expectations = new Map();

/** Reads the expected content of a list from the database. Returns {ids, total}. */
export const expected = async (users, { where, path, order = '"createdAt" DESC, "id"' }) => {
  const key = `${users} ${where} ${path}`;
  if (!expectations.has(key)) {
    const page = Number(new URL(path, "http://127.0.0.1").searchParams.get("page") ?? 1);
    const { rows } = await connected(`users_${users}`, (client) =>
      client.query(
        `SELECT (SELECT count(*)::int FROM "user" WHERE ${where}) AS total,
          (SELECT array_agg("id" ORDER BY ${order}) FROM (SELECT * FROM "user"
            WHERE ${where} ORDER BY ${order} LIMIT 20 OFFSET ${(page - 1) * 20}) AS page) AS ids`,
      ),
    );
    expectations.set(key, { ids: rows[0].ids ?? [], total: rows[0].total });
  }
  return expectations.get(key);
};
