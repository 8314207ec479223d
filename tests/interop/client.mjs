// better-auth's own client, pointed at the stand-alone sign-in of this httpd.
import assert from "node:assert/strict";
import { request } from "node:http";

import { newest, versions } from "./support/applications.mjs";
import { attributesOf, openBrowser, signInDirectives } from "./support/browser.mjs";
import { describeSite } from "./support/checks.mjs";
import { newUserFields } from "./support/site.mjs";
import { asMigrated, drizzleStyle, serialStyle } from "./support/styles.mjs";
import { shape } from "./support/types.mjs";

/** Creates a client as a page would. */
const client = async (site) => {
  const { here: auth, jar, responses } = await openBrowser(site);
  return { auth, jar, responses };
};

/** Sends a request with only these headers. Returns {status, body, headers}. */
const send = (port, method, path, headers, body) =>
  new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const all = { host: `localhost:${port}`, ...type, ...headers };
    const sent = request({ host: "127.0.0.1", port, path, method, headers: all }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => (text += part));
      response.on("end", () => {
        const cookies = (response.headers["set-cookie"] ?? []).map((cookie) => ["set-cookie", cookie]);
        resolve({ status: response.statusCode, body: text === "" ? null : JSON.parse(text), headers: new Headers(cookies) });
      });
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

const attacker = "https://attacker.example";

/** Headers of requests by pages of this site and of others, without and with a cookie, as functions of this site's origin. */
const headersFromPages = [
  () => ({}),
  (origin) => ({ origin }),
  () => ({ origin: "null" }),
  () => ({ origin: attacker }),
  (origin) => ({ origin: `${origin}.attacker.example` }),
  (origin) => ({ referer: `${origin}/page` }),
  () => ({ referer: `${attacker}/page` }),
  (origin) => ({ origin: attacker, referer: `${origin}/page` }),
  (origin) => ({ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", origin }),
  () => ({ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", origin: "null" }),
  (origin) => ({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", origin }),
  () => ({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", origin: attacker }),
  () => ({ "sec-fetch-mode": "cors" }),
  () => ({ "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }),
].flatMap((headers) => [headers, (origin) => ({ ...headers(origin), cookie: "a=b" })]);

const tests = (isNewest) => (check) => {
  check("the client signs in, reads its session and signs out", async (site) => {
    const user = await site.createUser();
    const { auth, jar } = await client(site);
    assert.equal((await auth.getSession()).data, null);

    const { data, error } = await auth.signIn.email({ email: user.email, password: user.password });
    assert.equal(error, null, JSON.stringify(error));
    assert.deepEqual([data.user.id, data.user.email, data.user.name], [user.id, user.email, user.name]);
    assert.equal(data.redirect, false);
    site.log.addSecret(data.token);
    assert.deepEqual(
      [...jar.keys()].filter((name) => name.endsWith("session_token")),
      ["better-auth.session_token"],
    );

    const session = await auth.getSession();
    assert.equal(session.error, null, JSON.stringify(session.error));
    assert.deepEqual(
      [session.data.user.id, session.data.session.userId, session.data.session.token],
      [user.id, user.id, data.token],
    );
    const days = (new Date(session.data.session.expiresAt) - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days < 7.1, `a session of ${days} days`);

    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    assert.deepEqual(await site.accessStatuses(user.id, { cookie }), [200, 403]);
    assert.equal((await site.application.session({ cookie })).user.id, user.id);

    const out = await auth.signOut();
    assert.deepEqual([out.data, out.error], [{ success: true }, null]);
    assert.equal(jar.has("better-auth.session_token"), false);
    assert.equal((await auth.getSession()).data, null);
    assert.deepEqual(await site.accessStatuses(user.id, { cookie }), [401, 401]);
    assert.equal(await site.application.session({ cookie }), null);
  });

  check("a user of the application signs in with the client", async (site) => {
    const person = newUserFields();
    site.log.addSecret(person.password);
    site.trackSession(await site.application.signUp(person.name, person.email, person.password));
    const { auth } = await client(site);
    for (const email of [person.email, person.email.toUpperCase()]) {
      const { data, error } = await auth.signIn.email({ email, password: person.password });
      assert.equal(error, null, JSON.stringify(error));
      assert.equal(data.user.email, person.email);
    }
  });

  check("the client reads and ends a session of the application", async (site) => {
    const { session } = await site.createSignedInUser();
    const { auth, jar } = await client(site);
    jar.set(session.cookieName, session.cookieValue);
    assert.equal((await auth.getSession()).data.session.token, session.token);
    assert.deepEqual((await auth.signOut()).data, { success: true });
    assert.equal(await site.application.session({ cookie: session.cookie }), null);
  });

  check("a banned user is rejected as by the library", async (site) => {
    const user = await site.createUser();
    await site.change(user.id, { banned: true, banReason: "spam" });
    const { auth, jar } = await client(site);
    const { data, error } = await auth.signIn.email({ email: user.email, password: user.password });
    const there = await site.application.signIn(user.email, user.password);
    assert.deepEqual(
      [data, error.status, error.code, error.message],
      [null, there.status, there.body.code, there.body.message],
    );
    assert.equal(jar.size, 0);
  });

  check("a remembered sign-in clears the cookie of an unremembered one", async (site) => {
    const { email, password } = await site.createUser();
    const { auth, jar, responses } = await client(site);
    await auth.signIn.email({ email, password, rememberMe: false });
    assert.ok(jar.has("better-auth.dont_remember"));
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    await auth.signIn.email({ email, password });
    assert.equal(jar.has("better-auth.dont_remember"), false, "the session would not be extended");
    if (!isNewest) return;
    const there = await site.application.call("POST", "/sign-in/email", { body: { email, password }, cookie });
    site.trackSession({ token: there.body.token });
    assert.deepEqual(attributesOf(responses.at(-1).headers), attributesOf(there.headers));
  });

  check("responses have the library's form, including the attributes of cookies", async (site) => {
    const user = await site.createUser();
    const origins = { here: site.httpd.address, there: site.application.options.baseURL };
    const both = async (method, path, body, headers) => {
      const here = await send(site.httpd.port, method, `/api/auth${path}`, headers(origins.here), body);
      const there = await site.application.send(method, path, headers(origins.there), body);
      for (const header of [here, there].flatMap((response) => response.headers.getSetCookie()))
        site.log.addSecret(header.slice(header.indexOf("=") + 1, header.indexOf(";")));
      site.log.addSecret(here.body?.token);
      return { here, there };
    };
    const own = (more = {}) => (origin) => ({ origin, ...more });
    const { email, password } = user;
    const rows = [
      ["POST", "/sign-in/email", { email, password }],
      ["POST", "/sign-in/email", { email, password, rememberMe: false }],
      ["POST", "/sign-in/email", { email, password: "wrong" }],
      ["POST", "/sign-in/email", { email }],
      ["POST", "/sign-in/email", {}],
      ["GET", "/get-session", undefined],
      ["GET", "/get-session", undefined, own({ cookie: "better-auth.session_token=nonsense" })],
      ["POST", "/sign-out", {}],
    ];
    // Earlier releases have other rules: for example, they accept any media type that contains the name of a supported one.
    if (isNewest)
      rows.push(
        ...[
          { email, password: "x".repeat(128) },
          { email, password: "x".repeat(129) },
          { email, password: "ñ".repeat(128) },
          { email, password: "🔑".repeat(64) }, // two UTF-16 code units each
          { email, password: `${"🔑".repeat(64)}x` },
          { email: "nobody@example.org", password: "x".repeat(129) },
        ].map((body) => ["POST", "/sign-in/email", body]),
        ...[
          "application/json",
          "Application/JSON ; charset=utf-8",
          "application/jsonx",
          "xapplication/json",
          "application/problem+json",
          "text/plain",
        ].map((type) => ["POST", "/sign-in/email", { email, password }, own({ "content-type": type })]),
        ...headersFromPages.flatMap((headers) => [
          ["POST", "/sign-in/email", { email, password }, headers],
          ["POST", "/sign-out", {}, headers],
        ]),
      );
    for (const [method, path, body, headers = own()] of rows) {
      const { here, there } = await both(method, path, body, headers);
      const sent = { method, path, body, headers: headers(origins.here) };
      // With a cookie, the library checks only the origin. This module also checks Sec-Fetch-Site.
      if (sent.headers.cookie && sent.headers["sec-fetch-site"] === "cross-site" && sent.headers.origin === origins.here) {
        assert.deepEqual([sent, here.status, here.body?.code], [sent, 403, "INVALID_ORIGIN"]);
        continue;
      }
      // Only the library lets pages of other sites delete cookies with a sign-out.
      const hasSameCookies = path !== "/sign-out" || !headersFromPages.includes(headers);
      const cookies = (response) => hasSameCookies && attributesOf(response.headers);
      const form = (response) => [sent, response.status, shape(response.body), cookies(response)];
      assert.deepEqual(form(here), form(there));
      if (here.status < 400) continue;
      const error = (response) => [sent, response.body?.code, isNewest && response.body?.message];
      assert.deepEqual(error(here), error(there));
    }
    // Only the library rejects an address by its form.
    const malformed = await both("POST", "/sign-in/email", { email: "no address", password }, own());
    assert.deepEqual([malformed.here.status, malformed.here.body.code], [401, "INVALID_EMAIL_OR_PASSWORD"]);
    assert.deepEqual([malformed.there.status, malformed.there.body.code], [400, "INVALID_EMAIL"]);
    const session = await site.signIn(user);
    const { here, there } = await both("GET", "/get-session", undefined, own({ cookie: session.cookie }));
    assert.deepEqual(here.body, there.body);
  });

  check("the bearer plugin's header is valid on both sides", async (site) => {
    const user = await site.createUser();
    const { auth, responses } = await client(site);
    await auth.signIn.email({ email: user.email, password: user.password });
    const bearer = responses.at(-1).headers.get("set-auth-token");
    assert.ok(bearer, "no set-auth-token");
    site.log.addSecret(bearer);
    assert.equal(
      (
        await site.send("GET", `/api/users/${user.id}`, {
          as: null,
          headers: { authorization: `Bearer ${bearer}` },
        })
      ).status,
      200,
    );
    assert.equal((await site.application.session({ bearer })).user.id, user.id);
  });
};

for (const version of versions.filter((one) => !one.issuer)) {
  describeSite("the library's client", version, asMigrated, tests(version === newest), { directives: signInDirectives });
  describeSite("the library's client", version, drizzleStyle, tests(false), { directives: signInDirectives });
}
describeSite("the library's client", newest, serialStyle, tests(false), { directives: signInDirectives });
