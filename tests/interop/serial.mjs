// Ids that the database makes: numbers in the tables, strings wherever somebody reads them.
import assert from "node:assert/strict";

import { newest, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { somebody } from "./support/site.mjs";
import { bigSerialStyle, serialStyle } from "./support/styles.mjs";

const number = /^[1-9]\d*$/;

/** The rows of a user in a table, ids as text. */
const rowsOf = (site, table, userId) =>
  site.database.rows(
    `SELECT *, "id"::text AS "id", "userId"::text AS "userId" FROM "${table}" WHERE "userId" = $1`,
    [userId],
  );

/** What a command prints with --json. */
const ask = async (site, words, input) => {
  const { status, output, error } = await site.control([...words, "--json"], input);
  assert.equal(status, 0, `${words.join(" ")}: ${error}${output}`);
  return JSON.parse(output).data;
};

const tests = (type) => (check) => {
  check("the library itself lays such tables, and signs in by them", async (site) => {
    const columns = await site.database.rows(
      `SELECT "table_name" || '.' || "column_name" AS "name", "data_type" AS "type"
       FROM "information_schema"."columns"
       WHERE "table_name" IN ('user', 'session', 'account') AND "column_name" IN ('id', 'userId') ORDER BY 1`,
    );
    assert.deepEqual(
      columns,
      ["account.id", "account.userId", "session.id", "session.userId", "user.id"].map((name) => ({ name, type })),
    );
    const person = somebody();
    const { user } = site.remember(await site.application.signUp(person.name, person.email, person.password));
    assert.match(user.id, number);
    const session = await site.signIn(person);
    const there = await site.application.session({ cookie: session.cookie });
    assert.deepEqual([there.user.id, there.session.userId], [user.id, user.id]);
    assert.match(there.session.id, number);
  });

  // First of what the service does: later tests leave accounts of its own making.
  check("useradminctl check finds nothing wrong with such tables", async (site) => {
    const data = await ask(site, ["check", "--account-id", "user-id"]);
    assert.deepEqual(data.problems, []);
  });

  check("an id is a string in every reply: create, get, list and update", async (site) => {
    const user = await site.createHere();
    assert.match(user.id, number);
    assert.equal((await site.recordHere(user.id)).id, user.id);
    assert.equal((await site.change(user.id, { name: "Otra" })).id, user.id);
    const { body } = await site.here("GET", "/api/users?limit=500");
    assert.ok(
      body.data.every(({ id }) => typeof id === "string"),
      JSON.stringify(body.data.map(({ id }) => id)),
    );
    assert.ok(body.data.some(({ id }) => id === user.id));
  });

  check("the tables' own numbers go on, whoever takes them, also at once", async (site) => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        if (index % 2) return (await site.createHere()).id;
        const person = somebody();
        return site.remember(await site.application.signUp(person.name, person.email, person.password)).user
          .id;
      }),
    );
    assert.equal(new Set(ids).size, ids.length, ids.join(" "));
    const after = await site.createHere();
    for (const id of ids) assert.ok(BigInt(after.id) > BigInt(id), `${after.id} after ${id}`);
  });

  check("the account has a number of its own and the user's", async (site) => {
    const user = await site.createHere();
    const [account, ...others] = await rowsOf(site, "account", user.id);
    assert.deepEqual(others, []);
    assert.match(account.id, number);
    assert.deepEqual(
      [account.userId, account.providerId, account.accountId],
      [user.id, "credential", site.version.accountId === "email" ? user.email : user.id],
    );
  });

  check("what only means the same number, or none, is nobody's id", async (site) => {
    const user = await site.createHere();
    for (const id of [
      `0${user.id}`,
      `%2B${user.id}`,
      `%20${user.id}`,
      `${user.id}%20`,
      `${user.id}.0`,
      `${user.id}e0`,
      `${user.id}x`,
      `-${user.id}`,
      `${user.id}0000`,
      "0x1",
      "1_0",
      "%D9%A1", // an Arabic digit
      "NaN",
      "2147483647",
      "2147483648",
      "4294967297",
      "9223372036854775807",
      "9223372036854775808",
      "18446744073709551617",
      "-9223372036854775809",
      "9".repeat(3000),
    ])
      for (const method of ["GET", "PUT", "DELETE"]) {
        const { status, body } = await site.here(method, `/api/users/${id}`, {
          body: method === "PUT" ? { name: "x" } : undefined,
        });
        assert.deepEqual([method, id, status, body.error], [method, id, 404, "Usuario no encontrado"]);
      }
    assert.equal((await site.recordHere(user.id)).name, user.name);
  });

  check("oneself is oneself, and no other number", async (site) => {
    const { user, session } = await site.signedIn();
    assert.deepEqual(await site.rights(user.id, session), [200, 403]);
    for (const id of [site.root.user.id, `${user.id}0`, `0${user.id}`, user.id.slice(0, -1) || "0"])
      assert.equal((await site.here("GET", `/api/users/${id}`, { as: session })).status, 403, id);
    const { status, body } = await site.here("DELETE", `/api/users/${site.root.user.id}`);
    assert.deepEqual([status, body.error], [400, "No puedes eliminar tu propio usuario"]);
  });

  check("a delete takes the user's rows and nobody else's", async (site) => {
    const { user } = await site.signedIn();
    const { user: other } = await site.signedIn();
    assert.equal((await site.here("DELETE", `/api/users/${user.id}`)).status, 200);
    for (const table of ["session", "account"]) {
      assert.deepEqual(await rowsOf(site, table, user.id), []);
      assert.equal((await rowsOf(site, table, other.id)).length, 1);
    }
  });

  check("useradminctl: create, show, passwd, role, ban and delete, by the id", async (site) => {
    const person = somebody({ role: "admin" });
    const made = await ask(
      site,
      ["create", "--email", person.email, "--name", person.name, "--role", person.role],
      `${person.password}\n`,
    );
    assert.match(made.id, number);
    assert.deepEqual(await ask(site, ["show", made.id]), await site.recordHere(made.id));
    assert.deepEqual(await ask(site, ["show", person.email]), await ask(site, ["show", made.id]));
    assert.match((await site.control(["show", made.id])).output, new RegExp(`^id:? +${made.id}$`, "m"));
    assert.equal((await site.control(["show", `0${made.id}`])).status, 4);
    assert.equal((await site.control(["show", "9223372036854775808"])).status, 4);
    assert.ok(
      (await ask(site, ["list", "--limit", "1000"])).some(({ id }) => id === made.id),
      "not in the list",
    );

    await site.signIn(person);
    const password = `${person.password} nueva`;
    await ask(site, ["passwd", made.id, "--hash", site.style.hash ?? "argon2id"], `${password}\n`);
    const session = await site.signIn({ ...person, password });
    assert.equal((await ask(site, ["role", made.id, "user"])).role, "user");
    assert.deepEqual(await site.rights(made.id, session), [200, 403]);
    await ask(site, ["ban", made.id, "--reason", "spam"]);
    assert.equal((await site.application.signIn(person.email, password)).status, 403);
    await ask(site, ["unban", made.id]);
    await site.signIn({ ...person, password });
    await ask(site, ["delete", made.id, "--yes"]);
    assert.equal((await site.here("GET", `/api/users/${made.id}`)).status, 404);
    assert.deepEqual(await rowsOf(site, "account", made.id), []);
    assert.deepEqual(await rowsOf(site, "session", made.id), []);
  });

  check("useradminctl passwd gives an account to a user who has none", async (site) => {
    const user = await site.createHere();
    await site.database.pool.query('DELETE FROM "account" WHERE "userId" = $1', [user.id]);
    const password = "la primera contraseña";
    await ask(site, ["passwd", user.id, "--hash", site.style.hash ?? "argon2id"], `${password}\n`);
    assert.match((await rowsOf(site, "account", user.id))[0].id, number);
    await site.signIn({ ...user, password });
  });

  check("useradminctl session: open, list and revoke, by the numbers that the table has", async (site) => {
    const user = await site.createHere();
    const opened = [];
    for (let index = 0; index < 4; ++index) {
      const one = await ask(site, ["session", "open", user.id]);
      site.log.keepSecret(one.token);
      opened.push(one);
    }
    const sessions = () => rowsOf(site, "session", user.id);
    for (const { id, userId, token } of opened) {
      assert.match(id, number);
      assert.equal(userId, user.id);
      assert.equal((await sessions()).find((row) => row.id === id).token, token.split(".")[0]);
      const there = await site.application.session({ bearer: encodeURIComponent(token) });
      assert.deepEqual([there.session.id, there.user.id], [id, user.id]);
    }
    const listed = await ask(site, ["session", "list", user.id]);
    assert.deepEqual(
      new Set(listed.map(({ id, userId }) => `${id} of ${userId}`)),
      new Set(opened.map(({ id }) => `${id} of ${user.id}`)),
    );

    const [byId, byToken, ...rest] = opened;
    assert.equal((await site.control(["session", "revoke", user.id, `0${byId.id}`])).status, 4);
    assert.equal((await site.control(["session", "revoke", site.root.user.id, byId.id])).status, 4);
    assert.deepEqual(await ask(site, ["session", "revoke", user.id, byId.id]), { revoked: 1 });
    assert.equal(await site.application.session({ bearer: encodeURIComponent(byId.token) }), null);
    assert.deepEqual(await ask(site, ["session", "revoke", byToken.token]), { revoked: 1 });
    assert.deepEqual(
      new Set((await sessions()).map((row) => row.id)),
      new Set(rest.map(({ id }) => id)),
    );
    assert.deepEqual(await ask(site, ["session", "revoke", user.email, "--all"]), { revoked: 2 });
    assert.deepEqual(await sessions(), []);
  });
};

// That an application works on such tables beside the service, round_trip.mjs shows with every release.
for (const version of [versions[0], newest])
  describeSite("numbers for ids", version, serialStyle, tests("integer"));
describeSite("numbers for ids", newest, bigSerialStyle, tests("bigint"));
