// Totals from counters, after many writers at once have done all that writers do, and many of them were killed.
import { randomUUID } from "node:crypto";

import { contenders } from "./contenders.mjs";
import { connected, useradminctl } from "./databases.mjs";
import { ask } from "./drive.mjs";
import { comparison } from "./lines.mjs";
import { load, pause, socket } from "./machine.mjs";
import { withCopy, withServer } from "./writes.mjs";

const { default: pg } = await load("pg");

const name = "written_totals";
const writers = 16;
const kills = 50;
const roles = ["user", "user", "user", "user", "admin", "superAdmin", null, "a role of its own"];

const any = (choices) => choices[Math.floor(Math.random() * choices.length)];
const below = (number) => Math.floor(Math.random() * number);

const insert =
  'INSERT INTO "user" ("id", "name", "email", "emailVerified", "role", "createdAt") ' +
  "SELECT id, 'Persona', id || '@new.example', true, $2::text, now() - $3::int * interval '1 hour' " +
  "FROM unnest($1::text[]) id";
const ids = (count) => Array.from({ length: count }, () => randomUUID());
// Whoever comes next after a random id: a few of them.
const somebody = (count) => `IN (SELECT "id" FROM "user" WHERE "id" > $1 ORDER BY "id" LIMIT ${count})`;

/** One statement that counts as a write: [how often, statements of a transaction or one statement]. */
const statement = {
  insert: (count) => [insert, [ids(count), any(roles), below(30_000)]],
  upsert: () => [
    `${insert} ON CONFLICT ("email") DO UPDATE SET "role" = excluded."role"`,
    [[any(known)], any(roles), below(30_000)],
  ],
  role: (count) => [
    `UPDATE "user" SET "role" = $2 WHERE "id" ${somebody(count)}`,
    [randomUUID(), any(roles)],
  ],
  name: () => [`UPDATE "user" SET "name" = 'Otra' WHERE "id" ${somebody(1)}`, [randomUUID()]],
  date: () => [
    `UPDATE "user" SET "createdAt" = now() - $2::int * interval '1 hour' WHERE "id" ${somebody(2)}`,
    [randomUUID(), below(30_000)],
  ],
  id: () => [`UPDATE "user" SET "id" = gen_random_uuid()::text WHERE "id" ${somebody(1)}`, [randomUUID()]],
  remove: (count) => [`DELETE FROM "user" WHERE "id" ${somebody(count)}`, [randomUUID()]],
};
// Ids that several writers insert at once.
const known = ids(50);

const one = () =>
  any([
    () => statement.insert(1),
    () => statement.insert(1),
    () => statement.insert(1),
    () => statement.insert(20),
    () => statement.upsert(),
    () => statement.role(1),
    () => statement.role(1),
    () => statement.role(5),
    () => statement.name(),
    () => statement.date(),
    () => statement.id(),
    () => statement.remove(1),
    () => statement.remove(1),
    () => statement.remove(5),
  ])();

/** Some writes as a transaction, some of which are taken back in whole or in part; how many writes they were. */
const write = async (client) => {
  if (below(10) > 0) {
    await client.query(...one());
    return 1;
  }
  await client.query("BEGIN");
  const count = 2 + below(4);
  for (let number = 0; number < count; ++number) {
    const isTakenBack = below(4) === 0;
    if (isTakenBack) await client.query("SAVEPOINT before");
    await client.query(...one());
    if (isTakenBack) await client.query("ROLLBACK TO SAVEPOINT before");
  }
  await client.query(below(3) === 0 ? "ROLLBACK" : "COMMIT");
  return count;
};

// What may befall a writer among others: a lock that it waits for too long (at its very end PostgreSQL takes that for a
// request to cancel), a deadlock, an id that another one inserted.
const mayBeRefused = ({ code }) => ["55P03", "57014", "40P01", "23505"].includes(code);
const wasKilled = ({ code, message }) =>
  code === "57P01" || /terminated|ended|ECONNRESET|not queryable/.test(message);

// Writers who wait for each other in a circle are told so after a second; these do not wait for as long.
const options = "-c lock_timeout=50ms -c synchronous_commit=off";

const isOn = ({ writes, wanted, hasFailed }) => writes < wanted && !hasFailed;

/** Writes until the count is reached, with a new connection where its own was killed. */
const writer = async (progress) => {
  let client;
  while (isOn(progress))
    try {
      if (!client) {
        client = new pg.Client({ host: socket, user: "useradmin", database: name, options });
        client.on("error", () => {});
        await client.connect();
      }
      const count = await write(client);
      progress.writes += count;
    } catch (error) {
      if (mayBeRefused(error)) await client.query("ROLLBACK").catch(() => {});
      else if (wasKilled(error)) {
        // Not waited for: the end of a connection may have come before.
        client.end().catch(() => {});
        client = null;
      } else {
        progress.hasFailed = true;
        throw error;
      }
    }
  await client?.end();
};

/** Ends backends that are at work, evenly over the writes. */
const killer = (progress) =>
  connected("useradmin", async (client) => {
    while (progress.kills < kills && isOn(progress)) {
      await pause(5);
      if (progress.writes < (progress.wanted * (progress.kills + 0.5)) / kills) continue;
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
          WHERE datname = $1 AND state <> 'idle' AND backend_type = 'client backend' ORDER BY random() LIMIT 1) AS victim`,
        [name],
      );
      progress.kills += rowCount;
    }
  });

/** Empties the table while all others write, so early that there are many users again in the end. */
const emptier = async (progress) => {
  while (isOn(progress) && progress.writes < progress.wanted * 0.02) await pause(5);
  await connected(name, (client) => client.query('TRUNCATE "user" CASCADE'));
};

/** The totals that the service answers with, beside count(*): the texts of those that differ. */
const differences = async (server) => {
  const requests = [
    ["superAdmin", "", "true"],
    ["admin", "", `COALESCE("role", 'user') = 'user'`],
    ...["user", "admin", "superAdmin", "a role of its own", "nobody's role"].map((role) => [
      "superAdmin",
      `role=${encodeURIComponent(role)}`,
      `COALESCE("role", 'user') = '${role.replace("'", "''")}'`,
    ]),
  ];
  const wrong = [];
  for (const [caller, query, where] of requests) {
    const { rows } = await connected(name, (client) =>
      client.query(`SELECT count(*)::int AS count FROM "user" WHERE ${where}`),
    );
    const total = rows[0].count;
    // The first page, one in the middle, the last.
    for (const page of new Set(
      [1, Math.ceil(total / 40), Math.ceil(total / 20)].filter((number) => number > 0),
    )) {
      const { rows: users } = await connected(name, (client) =>
        client.query(
          `SELECT "id" FROM "user" WHERE ${where} ORDER BY "createdAt" DESC, "id" LIMIT 20 OFFSET ${(page - 1) * 20}`,
        ),
      );
      const reply = await ask(
        `${server.address}/api/users?page=${page}&${query}`,
        contenders.notes.headers(caller),
      );
      const { data, pagination } = JSON.parse(reply.text);
      const isRight =
        pagination?.total === total && data.map(({ id }) => id).join() === users.map(({ id }) => id).join();
      if (!isRight)
        wrong.push(
          `${caller} ?${query} page ${page}: ${total} users are there, and the reply is ${reply.text.slice(0, 300)}`,
        );
    }
  }
  return wrong;
};

export const totals = ({ isQuick, say }) =>
  withCopy({ users: 10_000, isScaled: true }, name, async (data) => {
    await connected(name, (client) => client.query('DELETE FROM "session"'));
    const progress = { wanted: isQuick ? 5_000 : 100_000, writes: 0, kills: 0 };
    const began = Date.now();
    await Promise.all([
      ...Array.from({ length: writers }, () => writer(progress)),
      killer(progress),
      emptier(progress),
    ]);
    const rate = progress.writes / ((Date.now() - began) / 1000);
    const wrong = await withServer("notes", data, [], differences);
    for (const text of wrong) say(`  ${text}`);
    const check = await useradminctl(name, "check", "--counts");
    if (check.status !== 0) say(`  useradminctl check --counts: ${check.output}${check.error}`);
    return [
      {
        name: `${progress.writes.toLocaleString("en")} writes by ${writers} at once, ${progress.kills} killed backends`,
        rate,
        comparisons: [
          comparison("replies that differ from count(*)", wrong.length, { most: 0 }),
          comparison("exit status of useradminctl check --counts", check.status, { most: 0 }),
        ],
      },
    ];
  });
