// Changes by an administrator in httpd and by a user at the application, and vice versa, with every style of schema.
import assert from "node:assert/strict";

import { newest, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { schemas } from "./support/matrix.mjs";
import { asServiceRecord, elevenFields, newUserFields } from "./support/site.mjs";
import { asMigrated, bigSerialStyle, styles } from "./support/styles.mjs";

const [signsIn, authorized, bans, roles, records, deletions, control] = schemas.columns;

const now = (text) => Math.abs(Date.parse(text) - Date.now()) < 60_000;
const isoInUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const roundTrip = (style) => (check) => {
  check(
    "a user created by httpd can sign in to the application",
    async (site) => {
      const user = await site.createUser();
      const session = await site.signIn(user);
      assert.deepEqual(
        [session.user.id, session.user.name, session.user.email, session.user.emailVerified],
        [user.id, user.name, user.email, true],
      );
      assert.equal((await site.application.signIn(user.email, `${user.password}?`)).status, 401);
    },
    signsIn,
  );

  check(
    "the application's token is accepted raw and percent-encoded",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      const raw = decodeURIComponent(session.bearer);
      for (const token of new Set([session.bearer, raw, encodeURIComponent(raw)]))
        for (const scheme of ["Bearer", "bearer"]) {
          const headers = { authorization: `${scheme} ${token}` };
          assert.equal((await site.send("GET", `/api/users/${user.id}`, { as: null, headers })).status, 200);
        }
    },
    authorized,
  );

  check(
    "a session ended by sign-out in the application is rejected",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      assert.equal(
        (await site.application.call("POST", "/sign-out", { body: {}, cookie: session.cookie })).status,
        200,
      );
      assert.deepEqual(await site.accessStatuses(user.id, session), [401, 401]);
    },
    authorized,
  );

  check(
    "an expired session is rejected",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      const table = site.style.options?.session?.modelName ?? "session";
      const column = site.style.snakeCase ? "expires_at" : "expiresAt";
      const expire = (seconds) =>
        site.database.pool.query(`UPDATE "${table}" SET "${column}" = $1 WHERE "token" = $2`, [
          new Date(Date.now() + seconds * 1000).toISOString(),
          session.token,
        ]);
      await expire(60);
      assert.deepEqual(await site.accessStatuses(user.id, session), [200, 403]);
      await expire(-60);
      assert.deepEqual(await site.accessStatuses(user.id, session), [401, 401]);
      assert.equal(await site.application.session({ cookie: session.cookie }), null);
    },
    authorized,
  );

  check(
    "a user banned by httpd is rejected on both sides",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      await site.change(user.id, { banned: true, banReason: "spam" });
      assert.deepEqual(await site.accessStatuses(user.id, session), [401, 401]);
      // The library checks bans only at sign-in, so existing sessions stay valid there.
      assert.equal((await site.application.session({ cookie: session.cookie })).user.id, user.id);
      const refused = await site.application.signIn(user.email, user.password);
      assert.deepEqual([refused.status, refused.body.code], [403, "BANNED_USER"]);
      const there = await site.recordAtApplication(user.id);
      assert.deepEqual([there.banned, there.banReason], [true, "spam"]);

      await site.change(user.id, { banned: false });
      assert.deepEqual(await site.accessStatuses(user.id, session), [200, 403]);
      assert.deepEqual(await site.accessStatuses(user.id, await site.signIn(user)), [200, 403]);
    },
    bans,
  );

  check(
    "UserAdminEndSessions ends the application's sessions",
    async (site) => {
      const user = await site.createUser();
      for (const change of [
        { role: "admin" },
        { email: newUserFields().email },
        { name: "Otro", banned: true, banReason: "spam" },
      ]) {
        const person = { ...user, ...(await site.recordAtService(user.id)) };
        const sessions = [await site.signIn(person), await site.signIn(person)];
        await site.change(user.id, { name: "Nadie", role: person.role, email: person.email }, "/ending/users");
        for (const { cookie } of sessions)
          assert.equal((await site.application.session({ cookie })).user.id, user.id);
        await site.change(user.id, change, "/ending/users");
        for (const { cookie } of sessions) assert.equal(await site.application.session({ cookie }), null);
      }
      assert.equal((await site.application.session({ cookie: site.root.cookie })).user.id, site.root.user.id);
    },
    bans,
  );

  check(
    "a user banned in the application is rejected by httpd",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      await site.callAdminAtApplication("ban-user", { userId: user.id, banReason: "spam", banExpiresIn: 3600 });
      assert.deepEqual(await site.accessStatuses(user.id, session), [401, 401]);
      assert.equal(await site.application.session({ cookie: session.cookie }), null);
      const here = await site.recordAtService(user.id);
      assert.deepEqual(here, asServiceRecord(await site.recordAtApplication(user.id)));
      assert.deepEqual([here.banned, here.banReason], [true, "spam"]);
      assert.match(here.banExpires, isoInUtc);
      assert.ok(Math.abs(Date.parse(here.banExpires) - Date.now() - 3_600_000) < 60_000, here.banExpires);

      await site.callAdminAtApplication("unban-user", { userId: user.id });
      assert.deepEqual(await site.accessStatuses(user.id, await site.signIn(user)), [200, 403]);
      assert.equal((await site.recordAtService(user.id)).banned, false);
    },
    bans,
  );

  check(
    "an expired ban of the application has no effect",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      // The plugin's own columns have no mapped names.
      const column = site.style.create ? "ban_expires" : "banExpires";
      const ban = (milliseconds) =>
        site.database.pool.query(
          `UPDATE "${site.style.users ?? "user"}" SET "banned" = true, "${column}" = $1 WHERE "id" = $2`,
          [new Date(Date.now() + milliseconds).toISOString(), user.id],
        );
      await ban(60_000);
      assert.deepEqual(await site.accessStatuses(user.id, session), [401, 401]);
      await ban(-60_000);
      assert.deepEqual(await site.accessStatuses(user.id, session), [200, 403]);
    },
    bans,
  );

  check(
    "the application's admin plugin sees a role changed by httpd",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      const list = () =>
        site.application.call("GET", "/admin/list-users?limit=1", { cookie: session.cookie });
      assert.equal((await list()).status, 403);
      await site.change(user.id, { role: "admin" });
      assert.equal((await site.recordAtApplication(user.id)).role, "admin");
      assert.equal((await list()).status, 200);
      assert.deepEqual(await site.accessStatuses(user.id, session), [200, 200]);
    },
    roles,
  );

  check(
    "a role changed in the application applies in httpd",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      await site.callAdminAtApplication("set-role", { userId: user.id, role: "admin" });
      assert.equal((await site.recordAtService(user.id)).role, "admin");
      assert.deepEqual(await site.accessStatuses(user.id, session), [200, 200]);
      await site.callAdminAtApplication("set-role", { userId: user.id, role: "user" });
      assert.deepEqual(await site.accessStatuses(user.id, session), [200, 403]);
    },
    roles,
  );

  check(
    "the application correctly reads a user created by httpd",
    async (site) => {
      const user = await site.createUser();
      assert.deepEqual(
        asServiceRecord(await site.recordAtApplication(user.id)),
        Object.fromEntries(elevenFields.map((name) => [name, user[name]])),
      );
      assert.ok(now(user.createdAt) && now(user.updatedAt), user.createdAt);
      assert.match(user.id, style.serial ? /^[1-9]\d*$/ : /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    },
    records,
  );

  check(
    "httpd correctly reads a user created in the application",
    async (site) => {
      const person = newUserFields({ name: 'Ñandú "Ωmega" \\ 🦜' });
      const { user } = site.trackSession(
        await site.application.signUp(person.name, person.email, person.password),
      );
      const here = await site.recordAtService(user.id);
      assert.deepEqual(here, asServiceRecord(await site.recordAtApplication(user.id)));
      assert.deepEqual(Object.keys(here), elevenFields);
      assert.deepEqual(
        [here.name, here.email, here.emailVerified, here.banned],
        [person.name, person.email, false, false],
      );
      assert.ok(isoInUtc.test(here.createdAt) && now(here.createdAt), here.createdAt);
    },
    records,
  );

  check(
    "the application correctly reads an update by httpd",
    async (site) => {
      const user = await site.createUser();
      const changed = await site.change(user.id, { name: "Otra", email: `otra.${user.email}` });
      const there = await site.recordAtApplication(user.id);
      assert.deepEqual(asServiceRecord(there), await site.recordAtService(user.id));
      assert.deepEqual(
        [there.name, there.email, there.updatedAt, there.createdAt],
        ["Otra", `otra.${user.email}`, changed.updatedAt, user.createdAt],
      );
      assert.ok(Date.parse(changed.updatedAt) >= Date.parse(user.updatedAt));
      assert.equal((await site.application.signIn(`otra.${user.email}`, user.password)).status, 200);
    },
    records,
  );

  check(
    "httpd correctly reads an update by the application",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      const response = await site.application.call("POST", "/update-user", {
        body: { name: "Nueva", image: "https://example.org/a.png" },
        cookie: session.cookie,
      });
      assert.equal(response.status, 200);
      const here = await site.recordAtService(user.id, session);
      assert.deepEqual([here.name, here.image], ["Nueva", "https://example.org/a.png"]);
      assert.deepEqual(here, asServiceRecord(await site.recordAtApplication(user.id)));
    },
    records,
  );

  check(
    "both list the same users",
    async (site) => {
      const there = await site.application.users({ cookie: site.root.cookie });
      const { body } = await site.send("GET", "/api/users?limit=500");
      assert.equal(body.pagination.total, there.size);
      assert.deepEqual(
        new Map(body.data.map((user) => [user.id, user])),
        new Map([...there].map(([id, user]) => [id, asServiceRecord(user)])),
      );
      const times = body.data.map((user) => Date.parse(user.createdAt));
      assert.deepEqual(
        times,
        times.toSorted((one, other) => other - one),
      );
    },
    records,
  );

  check(
    "deleting a user in httpd ends the application's sessions",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      assert.equal((await site.application.session({ cookie: session.cookie })).user.id, user.id);
      assert.equal((await site.send("DELETE", `/api/users/${user.id}`)).status, 200);
      assert.equal(await site.application.session({ cookie: session.cookie }), null);
      assert.equal((await site.application.signIn(user.email, user.password)).status, 401);
      assert.equal(await site.recordAtApplication(user.id), undefined);
      assert.deepEqual(await site.accessStatuses(user.id, session), [401, 401]);
    },
    deletions,
  );

  check(
    "a user deleted in the application is not found by httpd",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      await site.callAdminAtApplication("remove-user", { userId: user.id });
      assert.deepEqual(await site.accessStatuses(user.id, session), [401, 401]);
      assert.equal((await site.send("GET", `/api/users/${user.id}`)).status, 404);
      await site.createUser(newUserFields({ email: user.email }));
    },
    deletions,
  );

  check(
    "useradminctl schema changes no object of the application",
    async (site) => {
      const before = await site.database.dump();
      const { status, error } = await site.ctl(["schema"]);
      assert.equal(status, 0, error);
      assert.equal(await site.database.dump(), before);
    },
    control,
  );

  check(
    "useradminctl passwd sets a password that the application accepts",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      const password = `${user.password} nueva`;
      const { status, error } = await site.ctl(
        ["passwd", user.email, "--hash", site.style.hash ?? "argon2id"],
        `${password}\n`,
      );
      assert.equal(status, 0, error);
      assert.equal((await site.application.signIn(user.email, user.password)).status, 401);
      await site.signIn({ email: user.email, password });
      assert.equal(error.includes(password) || error.includes(session.token), false);
    },
    control,
  );

  check(
    "useradminctl opens a session that is valid on both sides",
    async (site) => {
      const user = await site.createUser(newUserFields({ role: "admin" }));
      const { status, output, error } = await site.ctl(["session", "open", user.email]);
      assert.equal(status, 0, error);
      const token = output.trim();
      site.log.addSecret(token);
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await site.send("GET", "/api/users", { as: null, headers })).status, 200);
      assert.equal((await site.application.session({ bearer: encodeURIComponent(token) })).user.id, user.id);
    },
    control,
  );

  check(
    "a ban by useradminctl is effective in the application",
    async (site) => {
      const { user, session } = await site.createSignedInUser();
      assert.equal(
        (await site.ctl(["ban", user.email, "--reason", "spam", "--expires", "2h"])).status,
        0,
      );
      assert.equal((await site.application.signIn(user.email, user.password)).status, 403);
      assert.equal(await site.application.session({ cookie: session.cookie }), null);
      const there = await site.recordAtApplication(user.id);
      assert.deepEqual(asServiceRecord(there), await site.recordAtService(user.id));
      assert.ok(Math.abs(Date.parse(there.banExpires) - Date.now() - 7_200_000) < 60_000, there.banExpires);
      assert.equal((await site.ctl(["unban", user.email])).status, 0);
      await site.signIn(user);
    },
    control,
  );

  check(
    "useradminctl creates and deletes a user of the application",
    async (site) => {
      const person = newUserFields();
      const made = await site.ctl(
        ["create", "--email", person.email, "--name", person.name, "--role", "admin"],
        `${person.password}\n`,
      );
      assert.equal(made.status, 0, made.error);
      const session = await site.signIn(person);
      assert.deepEqual([session.user.id, session.user.role], [made.output.trim(), "admin"]);
      assert.equal((await site.ctl(["delete", person.email, "--yes"])).status, 0);
      assert.equal(await site.application.session({ cookie: session.cookie }), null);
    },
    control,
  );
};

for (const version of versions) {
  // 1.7.2 differs from the other releases only in the account.issuer column.
  const own = version.issuer ? [{ ...asMigrated, name: "account.issuer NOT NULL" }] : styles;
  for (const style of own) describeSite("round trip", version, style, roundTrip(style));
}
describeSite("round trip", newest, bigSerialStyle, roundTrip(bigSerialStyle));
