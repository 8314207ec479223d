// An application with its sessions in the database, in Redis or in both. With UserAdminSecondaryStorage, sessions revoked
// by httpd end there.
import assert from "node:assert/strict";

import { revokeAll, revokeOne, revokingChanges } from "./revocations.mjs";
import { versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { eventually } from "./support/machine.mjs";
import { places } from "./support/matrix.mjs";
import { Redis } from "./support/redis.mjs";
import { asMigrated, sqliteStyle } from "./support/styles.mjs";

/** The library's options for each place that stores sessions. */
const sessionPlaces = {
  database: () => ({}),
  Redis: (secondaryStorage) => ({ secondaryStorage, session: { storeSessionInDatabase: false } }),
  both: (secondaryStorage) => ({ secondaryStorage, session: { storeSessionInDatabase: true } }),
};

const testsOf = (redis, version, database) => (check) => {
  const applications = {};

  /** Starts an application that stores its sessions in this place. */
  const start = async (site, place = "both") => {
    if (!applications[place]) {
      const secondaryStorage = await redis.storage(3, "better-auth:");
      site.beforeClose(() => secondaryStorage.close());
      applications[place] = await site.openApplication(sessionPlaces[place](secondaryStorage));
    }
    return applications[place];
  };

  for (const place of Object.keys(sessionPlaces)) {
    const cell = (column) => ({ table: places, identity: [version.name, database, place], column });
    check(
      `httpd ${place === "Redis" ? "does not accept" : "accepts"} a session in: ${place}`,
      async (site) => {
        const user = await site.createUser();
        const session = await site.signIn(user, await start(site, place));
        const isAccepted = place !== "Redis";
        assert.deepEqual(await site.accessStatuses(user.id, session), isAccepted ? [200, 403] : [401, 401]);
        return isAccepted;
      },
      cell("sessions accepted by httpd"),
    );
    check(
      `revocations by httpd end sessions in: ${place}`,
      async (site) => {
        const application = await start(site, place);
        await Promise.all(revokingChanges.map(([what, change]) => revokeAll(site, application, change, what)));
      },
      cell("ended by a ban, a new role, a new password, a deletion, useradminctl"),
    );
  }

  check("a ban also ends them without UserAdminEndSessions", async (site) => {
    const application = await start(site);
    const user = await site.createUser();
    const session = await site.signIn(user, application);
    await site.change(user.id, { banned: true });
    assert.ok(await application.ends(session));
  });

  check("revoking a session ends only that one in the application", async (site) => {
    await revokeOne(site, await start(site));
  });

  check("a user whose ban was lifted signs in again", async (site) => {
    const application = await start(site);
    const user = await site.createUser();
    const before = await site.signIn(user, application);
    await site.change(user.id, { banned: true });
    assert.ok(await application.ends(before));
    await site.change(user.id, { banned: false });
    // Retry, because a session opened in the same second is treated as older than the ban.
    assert.ok(await eventually(async () => application.accepts(await site.signIn(user, application))));
  });
};

for (const version of versions.filter((one) => !one.issuer))
  for (const [database, style] of [["PostgreSQL", asMigrated], ["SQLite", sqliteStyle]]) {
    const redis = new Redis();
    describeSite("a secondary storage in Redis", version, style, testsOf(redis, version, database), {
      runsSchema: true,
      directives: async () => {
        await redis.start();
        return `UserAdminSecondaryStorage redis://127.0.0.1:${redis.port}/3 better-auth:\n`;
      },
    });
  }
