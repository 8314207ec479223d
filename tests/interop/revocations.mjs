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
  failures = 0;
  get(key) {
    if (this.isDown) {
      ++this.failures;
      throw new Error("the storage is down");
    }
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

/** Deletes a user's row in the table of sessions. Returns the session's id. */
const deleteRow = async (site, user) => {
  const [{ id }] = await site.database.rows('DELETE FROM "session" WHERE "userId"::text = $1 RETURNING "id"::text', [user.id]);
  return id;
};

let silent = 0;
const { error: print } = console;

/** Runs a function without the recipe's messages. Another site may do so at the same time. */
const silently = async (run) => {
  ++silent;
  console.error = () => {};
  try {
    await run();
  } finally {
    if (--silent === 0) console.error = print;
  }
};

/** An application with its own storage, for one test. */
class Followed {
  #site;
  #recipes = [];
  storage = new Storage();

  static async open(site) {
    const followed = new Followed();
    followed.#site = site;
    followed.application = await site.openApplication({
      secondaryStorage: followed.storage,
      session: { storeSessionInDatabase: true },
    });
    return followed;
  }

  /** Starts the recipe, by default with the application's pool and storage. Returns a function that stops it. */
  async follow({ pool = this.#site.database.pool, secondaryStorage } = {}) {
    const { auth } = this.application;
    const context = secondaryStorage ? { ...(await auth.$context), secondaryStorage } : auth.$context;
    const stop = (await loadRecipe())({ $context: Promise.resolve(context) }, pool);
    this.#recipes.push(stop);
    return stop;
  }

  /** Waits until all earlier revocations have been swept. */
  async waitForSweep() {
    const user = await this.#site.createUser();
    const session = await this.#site.signIn(user, this.application);
    await this.#site.send("DELETE", `/api/users/${user.id}`);
    assert.ok(await this.application.ends(session));
  }

  close() {
    for (const stop of this.#recipes) stop();
  }
}

const tests = (defineCheck) => {
  /** Defines a test with its own application. */
  const check = (sentence, run) =>
    defineCheck(sentence, async (site) => {
      const followed = await Followed.open(site);
      try {
        await run(site, followed);
      } finally {
        followed.close();
      }
    });

  for (const [what, change] of revokingChanges)
    check(`${what} by httpd ends the application's sessions`, async (site, followed) => {
      await followed.follow();
      await revokeAll(site, followed.application, change, what);
    });

  check("revoking a session ends only that one in the application", async (site, followed) => {
    await followed.follow();
    await revokeOne(site, followed.application);
  });

  check("a session missing from the list ends in better-auth 1.7.10 and later", async (site, followed) => {
    if (site.version !== newest) return;
    const { application, storage } = followed;
    await followed.follow();
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    storage.delete(`active-sessions-${user.id}`); // two parallel sign-ins may lose an entry
    const { id } = await site.createUser();
    storage.set(`revoked-sessions-before-${id}`, "8640000000000000");
    for (const banned of [user.id, id]) await site.change(banned, { banned: true }, "/ending/users");
    assert.ok(await application.ends(session));
    await followed.waitForSweep();
    assert.equal(storage.get(`revoked-sessions-before-${id}`), "8640000000000000");
  });

  check("a session opened after a revocation survives a restart", async (site, followed) => {
    const stop = await followed.follow();
    const user = await site.createUser();
    await site.change(user.id, { banned: true }, "/ending/users");
    await site.change(user.id, { banned: false }, "/ending/users");
    await sleep(1100); // a session opened in the same second is treated as older than the ban
    const session = await site.signIn(user, followed.application);
    stop();
    await followed.follow();
    await followed.waitForSweep();
    assert.ok(await followed.application.accepts(session));
  });

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

  check("the application's start reads one row per user", async (site, followed) => {
    const user = await site.createUser();
    await site.change(user.id, { banned: true }, "/ending/users");
    await site.change(user.id, { banned: false }, "/ending/users");
    await site.change(user.id, { banned: true }, "/ending/users");
    const pool = recording(site);
    await followed.follow({ pool });
    assert.ok(await eventually(() => pool.sweeps.length > 0));
    assert.equal(pool.sweeps[0].rows.filter((row) => row.user_id === user.id).length, 1);
  });

  check("an invalid stored value does not affect other sessions", async (site, followed) => {
    const { application, storage } = followed;
    await followed.follow();
    const [first, second] = [await site.createUser(), await site.createUser()];
    const sessions = [await site.signIn(first, application), await site.signIn(second, application)];
    await silently(async () => {
      storage.set(`active-sessions-${first.id}`, JSON.stringify({ of: "another form" }));
      for (const { id } of [first, second]) await site.change(id, { banned: true }, "/ending/users");
      assert.ok(await application.ends(sessions[1]));
      storage.set(`active-sessions-${first.id}`, JSON.stringify([{ token: "bad" }, { token: sessions[0].token }]));
      storage.set("bad", "{");
      assert.ok(await application.ends(sessions[0]));
    });
  });

  check("a storage may return parsed values", async (site, followed) => {
    const { application, storage } = followed;
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    const secondaryStorage = {
      get: (key) => JSON.parse(storage.get(key)),
      set: (key, value) => storage.set(key, value),
    };
    await followed.follow({ secondaryStorage });
    await site.change(user.id, { banned: true }, "/ending/users");
    assert.ok(await application.ends(session));
  });

  check("a database that was replaced is read from the beginning", async (site, followed) => {
    const pool = recording(site, (rows, number) => {
      if (number === 0) rows[0].position = "1000000000";
    });
    await followed.follow({ pool });
    assert.ok(await eventually(() => pool.sweeps.length > 2));
    assert.deepEqual(pool.sweeps.slice(0, 3).map((sweep) => sweep.position), ["0", "1000000000", "0"]);
  });

  check("revocations of a restored dump are read once", async (site, followed) => {
    await site.database.run(
      "INSERT INTO useradmin_revocation (user_id, transaction_id) VALUES ('restored', '1000000000')"
    );
    const pool = recording(site);
    await followed.follow({ pool });
    assert.ok(await eventually(() => pool.sweeps.length > 1));
    const times = pool.sweeps.slice(0, 2).map(({ rows }) => rows.filter((row) => row.user_id === "restored").length);
    await site.database.run("DELETE FROM useradmin_revocation WHERE user_id = 'restored'");
    assert.deepEqual(times, [1, 0]);
  });

  /** Records the revocation of a session some time ago, and waits until it has been swept. */
  const sweepRevocation = async (site, followed, user, sessionId, age) => {
    await site.database.rows(
      "INSERT INTO useradmin_revocation (user_id, session_id, created_at) VALUES ($1, $2, now() - $3::interval)",
      [user.id, sessionId, age]
    );
    const stop = await followed.follow();
    await followed.waitForSweep();
    stop();
  };

  check("ending one session ends no later session without a row", async (site, followed) => {
    const user = await site.createUser();
    const session = await site.signIn(user, followed.application);
    const id = await deleteRow(site, user);
    await sweepRevocation(site, followed, user, id, "5 s");
    assert.ok(await followed.application.accepts(session));
    await sweepRevocation(site, followed, user, id, "0 s");
    assert.ok(await followed.application.ends(session));
  });

  check("ending one session ends no session with another id", async (site, followed) => {
    const user = await site.createUser();
    const session = await site.signIn(user, followed.application);
    const id = await deleteRow(site, user);
    await sweepRevocation(site, followed, user, "another", "0 s");
    assert.equal(await followed.application.accepts(session), site.version.storesIds);
    if (!site.version.storesIds) return;
    await sweepRevocation(site, followed, user, id, "0 s");
    assert.ok(await followed.application.ends(session));
  });

  check("a recipe stopped during a sweep does not sweep again", async (site, followed) => {
    await followed.follow();
    let sweeps = 0;
    const stop = (await loadRecipe())(followed.application.auth, {
      query: async (...parameters) => {
        ++sweeps;
        await null; // the recipe returns first
        stop();
        return site.database.pool.query(...parameters);
      },
    });
    assert.ok(await eventually(() => sweeps === 1));
    // Each call takes at least one of the recipe's intervals between sweeps.
    await followed.waitForSweep();
    await followed.waitForSweep();
    assert.equal(sweeps, 1);
  });

  check("revocations during an outage of the storage are applied later", async (site, followed) => {
    const { application, storage } = followed;
    await followed.follow();
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    await silently(async () => {
      storage.isDown = true;
      await site.change(user.id, { banned: true }, "/ending/users");
      assert.ok(await eventually(() => storage.failures > 1));
      storage.isDown = false;
      assert.ok(await application.ends(session));
    });
  });
};

for (const version of versions.filter((one) => !one.issuer))
  describeSite("revocations", version, asMigrated, tests, { runsSchema: true });
