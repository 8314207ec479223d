// The cookies of an application with other settings: a session cache, https and its own prefix.
import assert from "node:assert/strict";

import { origin, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { drizzleStyle } from "./support/styles.mjs";

const cookieName = "better-auth.session_token";

const tests = (check) => {
  const read = (site, id, headers, base = "/api/users") =>
    site.send("GET", `${base}/${id}`, { as: null, headers });

  check("the library's cookie with cached session data is ignored", async (site) => {
    const user = await site.createUser();
    const application = await site.openApplication({ session: { cookieCache: { enabled: true, maxAge: 300 } } });
    const session = await site.signIn(user, application);
    const cookie = session.headers
      .getSetCookie()
      .map((header) => header.split(";", 1)[0])
      .join("; ");
    assert.match(cookie, /session_data/);
    assert.equal((await read(site, user.id, { cookie })).status, 200);
    await site.change(user.id, { banned: true });
    assert.equal((await read(site, user.id, { cookie })).status, 401);
  });

  check("the cookie of an application on https (__Secure-) is accepted", async (site) => {
    const user = await site.createUser();
    const session = await site.signIn(
      user,
      await site.openApplication({ baseURL: origin.replace("http:", "https:") }),
    );
    assert.equal(session.cookieName, `__Secure-${cookieName}`);
    assert.deepEqual(await site.accessStatuses(user.id, session), [200, 403]);
  });

  check("AuthUserAdminCookie accepts an application's own cookie prefix", async (site) => {
    const user = await site.createUser();
    for (const baseURL of [origin, origin.replace("http:", "https:")]) {
      const session = await site.signIn(
        user,
        await site.openApplication({ baseURL, advanced: { cookiePrefix: "my-app" } }),
      );
      assert.match(session.cookieName, /^(__Secure-)?my-app\.session_token$/);
      assert.equal((await read(site, user.id, { cookie: session.cookie }, "/prefixed/users")).status, 200);
      assert.equal((await read(site, user.id, { cookie: session.cookie })).status, 401);
    }
  });
};

// The tables of this style lack a column that 1.7.2 needs.
for (const version of versions.filter((one) => !one.issuer))
  describeSite("sessions", version, drizzleStyle, tests);
