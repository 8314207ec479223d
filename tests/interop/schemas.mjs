// Schemas with columns that the service does not know.
import assert from "node:assert/strict";

import { newest, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { eventually } from "./support/machine.mjs";
import { elevenFields, newUserFields } from "./support/site.mjs";
import { asMigrated, styles } from "./support/styles.mjs";

// Each connection reads the schema separately, so these sites have only one.
const directives = "StartServers 1\nServerLimit 1\nMaxRequestWorkers 16\nDBDKeep 1\nDBDMax 1\n";

/** Repeats a request until its result has the new schema. A connection reads the schema again after ten seconds. */
const repeatUntil = async (isNew, request) => {
  let result;
  assert.ok(await eventually(async () => isNew((result = await request()))));
  return result;
};

const fresh = { ...asMigrated, hash: undefined };

const extraColumns = (isNewest) => (check) => {
  check("responses to changes have extra columns with their types", async (site) => {
    const user = await site.createUser();
    assert.deepEqual(Object.keys(user).slice(0, elevenFields.length), elevenFields);
    assert.deepEqual([user.plan, user.credits, user.newsletter, user.phone], ["free", 3, true, null]);
    const changed = await site.change(user.id, { name: "Otra" });
    assert.deepEqual(
      [changed.plan, changed.credits, changed.newsletter, changed.phone],
      ["free", 3, true, null],
    );
    assert.deepEqual(Object.keys(await site.recordAtService(user.id)), elevenFields);
  });

  check("an update does not change the application's own columns", async (site) => {
    const person = newUserFields();
    const { user } = site.trackSession(
      await site.application.signUp(person.name, person.email, person.password, {
        plan: 'gold "ñ"',
        credits: 12,
        newsletter: false,
        phone: "+34 600",
      }),
    );
    const changed = await site.change(user.id, { name: "Otra" });
    assert.deepEqual(
      [changed.plan, changed.credits, changed.newsletter, changed.phone],
      ['gold "ñ"', 12, false, "+34 600"],
    );
    const there = await site.recordAtApplication(user.id);
    assert.deepEqual(
      [there.plan, there.credits, there.newsletter, there.phone],
      ['gold "ñ"', 12, false, "+34 600"],
    );
  });

  if (!isNewest) return; // slow, and independent of the release

  check("columns may be added and removed while httpd runs", async (site) => {
    const before = await site.createUser();
    assert.equal("level" in before, false);
    await site.database.run(
      `ALTER TABLE "user" ADD "level" integer NOT NULL DEFAULT 7, ADD "settings" jsonb NOT NULL DEFAULT '{"a":[1,null]}'`,
    );
    const changed = await repeatUntil((user) => "level" in user, () => site.change(before.id, { name: "Otra" }));
    assert.deepEqual([changed.level, changed.settings], [7, { a: [1, null] }]);
    const after = await site.createUser();
    assert.deepEqual([after.level, after.settings], [7, { a: [1, null] }]);
    await site.signIn(after);
    await site.database.run('ALTER TABLE "user" DROP "level"');
    const { level } = await site.change((await site.createUser()).id, { name: "Otra" });
    assert.equal(level, undefined);
  });
};

const plain = (check) => {
  check("without the admin plugin, everyone has the user role", async (site) => {
    const person = newUserFields();
    const { user } = site.trackSession(await site.application.signUp(person.name, person.email, person.password));
    const session = await site.signIn(person);
    assert.deepEqual(await site.accessStatuses(user.id, session), [200, 403]);
    const here = await site.recordAtService(user.id, session);
    assert.deepEqual(
      [Object.keys(here), here.role, here.banned, here.banReason, here.banExpires],
      [elevenFields, "user", false, null, null],
    );
  });

  check(
    "useradminctl schema adds the admin plugin's columns",
    async (site) => {
      const { status, error } = await site.ctl(["schema"]);
      assert.equal(status, 0, error);
      await site.promoteRoot();
      const isDone = ({ status }) => status === 200;
      const body = { banned: true, banReason: "spam", role: "admin" };
      await repeatUntil(isDone, () => site.send("GET", "/api/users"));
      const { user, session } = await site.createSignedInUser();
      // Each module reads the schema itself.
      await repeatUntil(isDone, () => site.send("PUT", `/api/users/${user.id}`, { body }));
      assert.deepEqual(await site.accessStatuses(user.id, session), [401, 401]);
      const here = await site.recordAtService(user.id);
      assert.deepEqual([here.role, here.banned, here.banReason], ["admin", true, "spam"]);
    },
  );
};

for (const version of versions.filter((one) => !one.issuer)) {
  describeSite(
    "extra columns",
    version,
    styles.find((style) => style.name === "extra columns"),
    extraColumns(version === newest),
    { directives },
  );
}
describeSite("no admin plugin", newest, { ...fresh, options: { withoutAdmin: true } }, plain, { directives });
