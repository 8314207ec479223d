// An application with its sessions in a secondary storage. With the recipe, sessions revoked by httpd end there.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { newest, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { eventually, loadTypeScript } from "./support/machine.mjs";
import { asMigrated } from "./support/styles.mjs";

const loadRecipe = async () => (await loadTypeScript("conf/recipes/better-auth-revocations.ts")).followRevocations;

/** A secondary storage for the library. */
class Storage extends Map {
  isDown = false;
  get(key) {
    if (this.isDown) throw new Error("the storage is down");
    return super.get(key) ?? null;
  }
}

const setPassword = async (site, user) => {
  const body = { password: `${user.password} nueva` };
  site.log.addSecret(body.password);
  assert.equal((await site.send("PUT", `/ending/users/${user.id}/password`, { body })).status, 200);
};

/** Changes by httpd that end a user's sessions, each as a name and a function of site and user. */
export const revokingChanges = [
  ["a ban", (site, user) => site.change(user.id, { banned: true }, "/ending/users")],
  ["another role", (site, user) => site.change(user.id, { role: "admin" }, "/ending/users")],
  ["a deletion", (site, user) => site.send("DELETE", `/api/users/${user.id}`)],
  ["a new password", setPassword],
  ["useradminctl ban", (site, user) => site.ctl(["ban", user.id])],
  ["useradminctl session revoke --all", (site, user) => site.ctl(["session", "revoke", user.id, "--all"])],
];

/** Signs a user in twice, and asserts that a change ends both sessions in the application. */
export const revokeAll = async (site, application, change, what) => {
  const user = await site.createUser();
  const sessions = [await site.signIn(user, application), await site.signIn(user, application)];
  for (const session of sessions) assert.ok(await application.accepts(session), what);
  await change(site, user);
  for (const session of sessions) assert.ok(await application.ends(session), what);
};

/** Signs a user in twice, and asserts that revoking one session ends only that session in the application. */
export const revokeOne = async (site, application) => {
  const user = await site.createUser();
  const [first, second] = [await site.signIn(user, application), await site.signIn(user, application)];
  const [{ id }] = await site.database.rows('SELECT "id" FROM "session" WHERE "token" = $1', [first.token]);
  const { status, error } = await site.ctl(["session", "revoke", user.id, id]);
  assert.equal(status, 0, error);
  assert.ok(await application.ends(first));
  assert.ok(await application.accepts(second));
};

const tests = (check) => {
  let application;
  let storage;
  let stop;

  /** Starts the application with its storage, and the recipe. */
  const start = async (site) => {
    if (application) return;
    storage = new Storage();
    application = await site.openApplication({
      secondaryStorage: storage,
      session: { storeSessionInDatabase: true },
    });
    stop = (await loadRecipe())(application.auth, site.database.pool);
    site.beforeClose(() => stop());
  };
  const remove = (site, id) => site.send("DELETE", `/api/users/${id}`);

  /** Waits until all earlier revocations have been swept. */
  const waitForSweep = async (site) => {
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    await remove(site, user.id);
    assert.ok(await application.ends(session));
  };

  for (const [what, change] of revokingChanges)
    check(`${what} by httpd ends the application's sessions`, async (site) => {
      await start(site);
      await revokeAll(site, application, change, what);
    });

  check("revoking a session ends only that one in the application", async (site) => {
    await start(site);
    await revokeOne(site, application);
  });

  check("a session missing from the list ends in better-auth 1.7.10 and later", async (site) => {
    if (site.version !== newest) return;
    await start(site);
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    storage.delete(`active-sessions-${user.id}`); // two parallel sign-ins may lose an entry
    const { id } = await site.createUser();
    storage.set(`revoked-sessions-before-${id}`, "8640000000000000");
    for (const banned of [user.id, id]) await site.change(banned, { banned: true }, "/ending/users");
    assert.ok(await application.ends(session));
    await waitForSweep(site);
    assert.equal(storage.get(`revoked-sessions-before-${id}`), "8640000000000000");
  });

  check("a session opened after a revocation survives a restart", async (site) => {
    await start(site);
    const user = await site.createUser();
    await site.change(user.id, { banned: true }, "/ending/users");
    await site.change(user.id, { banned: false }, "/ending/users");
    await sleep(1100); // a session opened in the same second is treated as older than the ban
    const session = await site.signIn(user, application);
    stop();
    stop = (await loadRecipe())(application.auth, site.database.pool);
    await waitForSweep(site);
    assert.ok(await application.accepts(session));
  });

  /** While the function runs, replaces the recipe with one that has this pool and storage. */
  const withRecipe = async (site, { pool = site.database.pool, secondaryStorage = storage }, run) => {
    stop();
    const context = { ...(await application.auth.$context), secondaryStorage };
    const stopAnother = (await loadRecipe())({ $context: Promise.resolve(context) }, pool);
    try {
      await run();
    } finally {
      stopAnother();
      stop = (await loadRecipe())(application.auth, site.database.pool);
    }
  };
  /** Returns a pool that records queries and results. `change` may modify a result. */
  const recording = (site, change = () => {}) => {
    const sweeps = [];
    return {
      sweeps,
      query: async (text, [position]) => {
        const result = await site.database.pool.query(text, [position]);
        change(result.rows, sweeps.length);
        sweeps.push({ position, rows: result.rows });
        return result;
      },
    };
  };

  check("the application's start reads one row per user", async (site) => {
    await start(site);
    const user = await site.createUser();
    await site.change(user.id, { banned: true }, "/ending/users");
    await site.change(user.id, { banned: false }, "/ending/users");
    await site.change(user.id, { banned: true }, "/ending/users");
    const pool = recording(site);
    await withRecipe(site, { pool }, () => eventually(() => pool.sweeps.length > 0));
    assert.equal(pool.sweeps[0].rows.filter((row) => row.user_id === user.id).length, 1);
  });

  check("an invalid stored value does not affect other sessions", async (site) => {
    await start(site);
    const [first, second] = [await site.createUser(), await site.createUser()];
    const sessions = [await site.signIn(first, application), await site.signIn(second, application)];
    const { error } = console;
    console.error = () => {};
    try {
      storage.set(`active-sessions-${first.id}`, JSON.stringify({ of: "another form" }));
      for (const { id } of [first, second]) await site.change(id, { banned: true }, "/ending/users");
      assert.ok(await application.ends(sessions[1]));
      storage.set(`active-sessions-${first.id}`, JSON.stringify([{ token: "bad" }, { token: sessions[0].token }]));
      storage.set("bad", "{");
      assert.ok(await application.ends(sessions[0]));
    } finally {
      console.error = error;
      storage.delete("bad");
    }
  });

  check("a storage may return parsed values", async (site) => {
    await start(site);
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    const secondaryStorage = {
      get: (key) => JSON.parse(storage.get(key)),
      set: (key, value) => storage.set(key, value),
    };
    await withRecipe(site, { secondaryStorage }, async () => {
      await site.change(user.id, { banned: true }, "/ending/users");
      assert.ok(await application.ends(session));
    });
  });

  check("a database that was replaced is read from the beginning", async (site) => {
    await start(site);
    const pool = recording(site, (rows, number) => {
      if (number === 0) rows[0].position = "1000000000";
    });
    await withRecipe(site, { pool }, () => eventually(() => pool.sweeps.length > 2));
    assert.deepEqual(pool.sweeps.slice(0, 3).map((sweep) => sweep.position), ["0", "1000000000", "0"]);
  });

  check("revocations of a restored dump are read once", async (site) => {
    await start(site);
    await site.database.run(
      "INSERT INTO useradmin_revocation (user_id, transaction_id) VALUES ('restored', '1000000000')"
    );
    const pool = recording(site);
    await withRecipe(site, { pool }, () => eventually(() => pool.sweeps.length > 1));
    const times = pool.sweeps.slice(0, 2).map(({ rows }) => rows.filter((row) => row.user_id === "restored").length);
    await site.database.run("DELETE FROM useradmin_revocation WHERE user_id = 'restored'");
    assert.deepEqual(times, [1, 0]);
  });

  /** Deletes the row of a session, records the revocation of a session, and waits until it has been swept. */
  const revokeWithoutRow = async (site, user, revokedId, age) => {
    const [{ id }] = await site.database.rows('DELETE FROM "session" WHERE "userId"::text = $1 RETURNING "id"::text', [user.id]);
    await site.database.rows(
      "INSERT INTO useradmin_revocation (user_id, session_id, created_at) VALUES ($1, $2, now() - $3::interval)",
      [user.id, revokedId ?? id, age]
    );
    await waitForSweep(site);
    return id;
  };

  check("ending one session ends no later session without a row", async (site) => {
    await start(site);
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    await revokeWithoutRow(site, user, null, "5 s");
    assert.ok(await application.accepts(session));
    await site.database.rows("UPDATE useradmin_revocation SET created_at = now() WHERE user_id = $1", [user.id]);
    await withRecipe(site, {}, async () => assert.ok(await application.ends(session)));
  });

  check("ending one session ends no session with another id", async (site) => {
    await start(site);
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    const id = await revokeWithoutRow(site, user, "another", "0 s");
    assert.equal(await application.accepts(session), site.version.storesIds);
    if (!site.version.storesIds) return;
    await site.database.rows("UPDATE useradmin_revocation SET session_id = $2, created_at = now() WHERE user_id = $1", [user.id, id]);
    await withRecipe(site, {}, async () => assert.ok(await application.ends(session)));
  });

  check("a recipe stopped during a sweep does not sweep again", async (site) => {
    await start(site);
    let sweeps = 0;
    const stopAnother = (await loadRecipe())(application.auth, {
      query: async (...parameters) => {
        ++sweeps;
        await null; // the recipe returns first
        stopAnother();
        return site.database.pool.query(...parameters);
      },
    });
    await eventually(() => sweeps === 1);
    // Each call takes at least one of the recipe's intervals between sweeps.
    await waitForSweep(site);
    await waitForSweep(site);
    assert.equal(sweeps, 1);
  });

  check("revocations during an outage of the storage are applied later", async (site) => {
    await start(site);
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    const { error } = console;
    let failures = 0;
    console.error = () => ++failures;
    try {
      storage.isDown = true;
      await site.change(user.id, { banned: true }, "/ending/users");
      await eventually(() => failures > 1);
      storage.isDown = false;
      assert.ok(await application.ends(session));
    } finally {
      console.error = error;
    }
  });
};

for (const version of versions.filter((one) => !one.issuer))
  describeSite("revocations", version, asMigrated, tests, { runsSchema: true });
