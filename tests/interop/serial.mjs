// Ids that the database makes: numbers in the tables, strings wherever somebody reads them.
import assert from "node:assert/strict";

import { newest, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { somebody } from "./support/site.mjs";
import { bigSerialStyle, serialStyle } from "./support/styles.mjs";

const number = /^[1-9]\d*$/;

/** What a command prints with --json. */
const ask = async (site, words) => {
  const { status, output, error } = await site.control([...words, "--json"]);
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

  // Comes before the other tests of the service: they leave accounts that it created.
  check("useradminctl check finds nothing wrong with such tables", async (site) => {
    const data = await ask(site, ["check", "--account-id", "user-id"]);
    assert.deepEqual(data.problems, []);
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
};

// That an application works on such tables beside the service, round_trip.mjs shows with every release.
for (const version of [versions[0], newest])
  describeSite("numbers for ids", version, serialStyle, tests("integer"));
describeSite("numbers for ids", newest, bigSerialStyle, tests("bigint"));
