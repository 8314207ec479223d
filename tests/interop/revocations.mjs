// An application whose sessions are in a secondary storage: with the recipe, what is revoked here ends there.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { eventually, load, repository, work } from "./support/machine.mjs";
import { asMigrated } from "./support/styles.mjs";

/** The recipe as JavaScript. */
const loadRecipe = async () => {
  const { default: typescript } = await load("typescript");
  const source = readFileSync(join(repository, "conf/recipes/better-auth-revocations.ts"), "utf8");
  const file = join(work, "better-auth-revocations.mjs");
  const { outputText } = typescript.transpileModule(source, { compilerOptions: { target: "es2022" } });
  writeFileSync(file, outputText);
  return (await import(pathToFileURL(file))).followRevocations;
};

/** What the library takes for a store of keys. */
class Storage extends Map {
  isDown = false;
  get(key) {
    if (this.isDown) throw new Error("the storage is down");
    return super.get(key) ?? null;
  }
}

/** What takes a user's sessions here: a name and a function of site and user. */
export const revokingChanges = [
  ["a ban", (site, user) => site.change(user.id, { banned: true }, "/ending/users")],
  ["another role", (site, user) => site.change(user.id, { role: "admin" }, "/ending/users")],
  ["a deletion", (site, user) => site.here("DELETE", `/api/users/${user.id}`)],
  ["useradminctl ban", (site, user) => site.control(["ban", user.id])],
  ["useradminctl session revoke --all", (site, user) => site.control(["session", "revoke", user.id, "--all"])],
];

const tests = (check) => {
  let application;
  let storage;
  let stop;

  /** The application with its storage, and the recipe at work. */
  const start = async (site) => {
    if (application) return;
    const { status, error } = await site.control(["schema"]);
    assert.equal(status, 0, error);
    storage = new Storage();
    application = await site.another({
      secondaryStorage: storage,
      session: { storeSessionInDatabase: true },
    });
    stop = (await loadRecipe())(application.auth, site.database.pool);
    site.beforeClose(() => stop());
  };
  const signIn = (site, user) => site.signIn(user, application);
  const isOpen = async (session) => (await application.session({ cookie: session.cookie })) !== null;
  const ends = (session) => eventually(async () => !(await isOpen(session)));
  const remove = (site, id) => site.here("DELETE", `/api/users/${id}`);

  /** Waits until all that was revoked before has been swept. */
  const settle = async (site) => {
    const user = await site.createHere();
    const session = await signIn(site, user);
    await remove(site, user.id);
    assert.ok(await ends(session));
  };

  for (const [what, change] of revokingChanges)
    check(`${what} here ends the sessions there`, async (site) => {
      await start(site);
      const user = await site.createHere();
      const sessions = [await signIn(site, user), await signIn(site, user)];
      for (const session of sessions) assert.ok(await isOpen(session));
      await change(site, user);
      for (const session of sessions) assert.ok(await ends(session));
    });

  check("a session that is revoked alone ends there, and the others go on", async (site) => {
    await start(site);
    const user = await site.createHere();
    const [first, second] = [await signIn(site, user), await signIn(site, user)];
    const [{ id }] = await site.database.rows('SELECT "id" FROM "session" WHERE "token" = $1', [first.token]);
    const { status, error } = await site.control(["session", "revoke", user.id, id]);
    assert.equal(status, 0, error);
    assert.ok(await ends(first));
    assert.ok(await isOpen(second));
  });

  check("a session that is opened after a revocation goes on, also when the application starts again", async (site) => {
    await start(site);
    const user = await site.createHere();
    await site.change(user.id, { banned: true }, "/ending/users");
    await site.change(user.id, { banned: false }, "/ending/users");
    await site.database.run(
      "UPDATE useradmin_revocation SET created_at = created_at - interval '2 s'"
    );
    const session = await signIn(site, user);
    stop();
    stop = (await loadRecipe())(application.auth, site.database.pool);
    await settle(site);
    assert.ok(await isOpen(session));
  });

  check("a recipe that is stopped during a sweep does not sweep again", async (site) => {
    await start(site);
    let sweeps = 0;
    const stopAnother = (await loadRecipe())(application.auth, {
      query: (...parameters) => {
        ++sweeps;
        stopAnother();
        return site.database.pool.query(...parameters);
      },
    });
    await eventually(() => sweeps === 1);
    // Each takes as long as the recipe waits between two sweeps.
    await settle(site);
    await settle(site);
    assert.equal(sweeps, 1);
  });

  check("what is revoked while the storage is down ends when it is back", async (site) => {
    await start(site);
    const user = await site.createHere();
    const session = await signIn(site, user);
    const { error } = console;
    let failures = 0;
    console.error = () => ++failures;
    try {
      storage.isDown = true;
      await site.change(user.id, { banned: true }, "/ending/users");
      await eventually(() => failures > 1);
      storage.isDown = false;
      assert.ok(await ends(session));
    } finally {
      console.error = error;
    }
  });
};

for (const version of versions.filter((one) => !one.issuer))
  describeSite("revocations", version, asMigrated, tests);
