// An application whose sessions are in Redis: with UserAdminSecondaryStorage, what is revoked here ends there.
import assert from "node:assert/strict";

import { revokingChanges } from "./revocations.mjs";
import { versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { eventually } from "./support/machine.mjs";
import { Redis } from "./support/redis.mjs";
import { asMigrated } from "./support/styles.mjs";

const testsOf = (redis) => (check) => {
  const applications = [];

  /** An application with its sessions in Redis, and in the database or not. */
  const start = async (site, storeSessionInDatabase) => {
    const index = Number(storeSessionInDatabase);
    if (!applications[index]) {
      const secondaryStorage = await redis.storage(3, "better-auth:");
      site.beforeClose(() => secondaryStorage.close());
      applications[index] = await site.another({ secondaryStorage, session: { storeSessionInDatabase } });
    }
    const application = applications[index];
    const isOpen = async (session) => (await application.session({ cookie: session.cookie })) !== null;
    return {
      signIn: (user) => site.signIn(user, application),
      isOpen,
      ends: (session) => eventually(async () => !(await isOpen(session))),
    };
  };

  for (const isInDatabase of [true, false])
    for (const [what, change] of revokingChanges)
      check(`${what} here ends sessions in Redis ${isInDatabase ? "and" : "without"} the database`, async (site) => {
        const { signIn, isOpen, ends } = await start(site, isInDatabase);
        const user = await site.createHere();
        const sessions = [await signIn(user), await signIn(user)];
        for (const session of sessions) assert.ok(await isOpen(session));
        await change(site, user);
        for (const session of sessions) assert.ok(await ends(session));
      });

  check("a ban without UserAdminEndSessions ends them, too", async (site) => {
    const { signIn, ends } = await start(site, true);
    const user = await site.createHere();
    const session = await signIn(user);
    await site.change(user.id, { banned: true });
    assert.ok(await ends(session));
  });

  check("a session that is revoked alone ends there, and the others go on", async (site) => {
    const { signIn, isOpen, ends } = await start(site, true);
    const user = await site.createHere();
    const [first, second] = [await signIn(user), await signIn(user)];
    const [{ id }] = await site.database.rows('SELECT "id" FROM "session" WHERE "token" = $1', [first.token]);
    const { status, error } = await site.control(["session", "revoke", user.id, id]);
    assert.equal(status, 0, error);
    assert.ok(await ends(first));
    assert.ok(await isOpen(second));
  });

  check("a user whose ban was lifted signs in again", async (site) => {
    const { signIn, isOpen, ends } = await start(site, true);
    const user = await site.createHere();
    const before = await signIn(user);
    await site.change(user.id, { banned: true });
    assert.ok(await ends(before));
    await site.change(user.id, { banned: false });
    // A session of the same second counts as older than the ban.
    assert.ok(await eventually(async () => isOpen(await signIn(user))));
  });

  check("what is revoked while Redis is frozen ends when it is back, and the reply warns", async (site) => {
    const { signIn, ends } = await start(site, true);
    const [user, other] = [await site.createHere(), await site.createHere()];
    const session = await signIn(user);
    redis.freeze();
    let isSaid;
    try {
      const ban = { body: { banned: true } };
      assert.equal((await site.here("PUT", `/api/users/${user.id}`, ban)).status, 200);
      isSaid = await eventually(
        async () => (await site.here("PUT", `/api/users/${other.id}`, ban)).headers.get("warning") !== null,
      );
    } finally {
      redis.thaw();
    }
    assert.ok(isSaid);
    assert.ok(await ends(session));
    site.log.expect("UA0218");
    site.log.expect("UA0219");
  });
};

for (const version of versions.filter((one) => !one.issuer)) {
  const redis = new Redis();
  describeSite("a secondary storage in Redis", version, asMigrated, testsOf(redis), {
    runsSchema: true,
    directives: async () => {
      await redis.start();
      return `UserAdminSecondaryStorage redis://127.0.0.1:${redis.port}/3 better-auth:\n`;
    },
  });
}
