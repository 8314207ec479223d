// Which sessions are accepted: signatures, names of cookies, and other Locations with the same sessions.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";

import { origin, secret, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { drizzleStyle } from "./support/styles.mjs";

const signed = (token) =>
  `${token}.${createHmac("sha256", secret).update(token).digest("base64")}`;
const cookieName = "better-auth.session_token";

const tests = (check) => {
  const read = (site, id, headers, base = "/api/users") =>
    site.send("GET", `${base}/${id}`, { as: null, headers });

  /** Returns the statuses of reading the user's record with this value, as a cookie and as a bearer token. */
  const statuses = async (site, id, value, base) => [
    (await read(site, id, { cookie: `${cookieName}=${value}` }, base)).status,
    (await read(site, id, { authorization: `Bearer ${value}` }, base)).status,
  ];

  check("the library's signature is the token's HMAC-SHA-256 in base64", async (site) => {
    const { user, session } = await site.createSignedInUser();
    assert.equal(decodeURIComponent(session.cookieValue), signed(session.token));
    assert.deepEqual(await statuses(site, user.id, encodeURIComponent(signed(session.token))), [200, 200]);
    assert.deepEqual(await statuses(site, user.id, signed(session.token)), [200, 200]);
  });

  check("an unsigned token is accepted only without a secret", async (site) => {
    const { user, session } = await site.createSignedInUser();
    assert.deepEqual(await statuses(site, user.id, session.token), [401, 401]);
    assert.deepEqual(await statuses(site, user.id, session.token, "/unsigned/users"), [200, 200]);
  });

  check("a session is found among the application's other cookies", async (site) => {
    const { user, session } = await site.createSignedInUser();
    for (const cookie of [
      `theme=dark; ${session.cookie}; better-auth.session_data=eyJh.b=`,
      `${session.cookie}; x="a;b"`,
    ])
      assert.equal((await read(site, user.id, { cookie })).status, 200);
  });

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
    assert.equal(
      (await read(site, user.id, { cookie: `__Host-${cookieName}=${session.cookieValue}` })).status,
      200,
    );
    assert.equal(
      (await read(site, user.id, { cookie: `Secure-${cookieName}=${session.cookieValue}` })).status,
      401,
    );
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

  check("after the application revokes all sessions, none is accepted", async (site) => {
    const { user, session } = await site.createSignedInUser();
    const second = await site.signIn(user);
    await site.callAdminAtApplication("revoke-user-sessions", { userId: user.id });
    for (const one of [session, second]) assert.deepEqual(await site.accessStatuses(user.id, one), [401, 401]);
  });

  check("an impersonated session of the application identifies the impersonated user", async (site) => {
    const { user } = await site.createSignedInUser();
    const response = await site.application.call("POST", "/admin/impersonate-user", {
      body: { userId: user.id },
      cookie: site.root.cookie,
    });
    assert.equal(response.status, 200, JSON.stringify(response.body));
    const cookie = response.headers
      .getSetCookie()
      .findLast((header) => header.startsWith(`${cookieName}=`))
      .split(";", 1)[0];
    assert.deepEqual(await site.accessStatuses(user.id, { cookie }), [200, 403]);
  });

  check("Require user-role guards another Location with the same sessions", async (site) => {
    const page = async (as) => {
      const { status, body } = await site.send("GET", "/guarded/page.txt", { as });
      return status === 200 ? body : status;
    };
    site.log.allow("AH01630"); // httpd's own log line about a rejection
    const { user, session } = await site.createSignedInUser();
    assert.equal(await page(site.root), "the guarded page\n");
    assert.equal(await page(session), 403);
    assert.equal(await page(null), 401);
    assert.equal(await page({ cookie: `${cookieName}=${session.token}` }), 401);
    await site.callAdminAtApplication("set-role", { userId: user.id, role: "admin" });
    assert.equal(await page(session), "the guarded page\n");
    await site.change(user.id, { banned: true });
    assert.equal(await page(session), 401);
  });
};

// The tables of this style lack a column that 1.7.2 needs.
for (const version of versions.filter((one) => !one.issuer))
  describeSite("sessions", version, drizzleStyle, tests);
