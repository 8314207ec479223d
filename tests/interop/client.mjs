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

/** Sends a request with only these headers. */
const post = (port, path, headers, body) =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method: "POST",
        headers: { host: `localhost:${port}`, "content-type": "application/json", ...headers },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part) => (text += part));
        response.on("end", () =>
          resolve({ status: response.statusCode, body: text === "" ? null : JSON.parse(text) }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });

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

  if (isNewest)
    check("a password beyond maxPasswordLength is rejected as by the library", async (site) => {
      const { email } = await site.createUser();
      for (const body of [
        { email, password: "x".repeat(128) },
        { email, password: "x".repeat(129) },
        { email, password: "ñ".repeat(128) },
        { email, password: "🔑".repeat(64) }, // two UTF-16 code units each
        { email, password: `${"🔑".repeat(64)}x` },
        { email: "nobody@example.org", password: "x".repeat(129) },
        { email: "no address", password: "x".repeat(129) },
      ]) {
        const headers = { origin: site.httpd.address };
        const here = await site.send("POST", "/api/auth/sign-in/email", {
          as: null,
          body,
          headers: { ...headers, "content-type": "application/json" },
        });
        const there = await site.application.call("POST", "/sign-in/email", { body });
        assert.deepEqual([body, here.status, here.body], [body, there.status, there.body]);
      }
    });

  check("responses have the library's form, including the attributes of cookies", async (site) => {
    const user = await site.createUser();
    const both = async (method, path, { cookie, body }) => {
      const there = await site.application.call(method, path, { cookie, body });
      const here = await site.send(method, `/api/auth${path}`, {
        as: { cookie },
        body,
        headers: {
          origin: site.httpd.address,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
      });
      for (const headers of [here.headers, there.headers])
        for (const header of headers.getSetCookie())
          site.log.addSecret(header.slice(header.indexOf("=") + 1, header.indexOf(";")));
      site.log.addSecret(here.body?.token);
      return { here, there, sentence: `${method} ${path} ${JSON.stringify(body)}` };
    };
    const { email, password } = user;
    for (const [method, path, request] of [
      ["POST", "/sign-in/email", { body: { email, password } }],
      ["POST", "/sign-in/email", { body: { email, password, rememberMe: false } }],
      ["POST", "/sign-in/email", { body: { email, password: "wrong" } }],
      ["POST", "/sign-in/email", { body: { email: "no address", password } }],
      ["POST", "/sign-in/email", { body: { email } }],
      ["POST", "/sign-in/email", { body: {} }],
      ["GET", "/get-session", {}],
      ["GET", "/get-session", { cookie: "better-auth.session_token=nonsense" }],
      ["POST", "/sign-out", { body: {} }],
    ]) {
      const { here, there, sentence } = await both(method, path, request);
      assert.deepEqual(
        [sentence, here.status, shape(here.body)],
        [sentence, there.status, shape(there.body)],
      );
      assert.deepEqual([sentence, attributesOf(here.headers)], [sentence, attributesOf(there.headers)]);
      if (here.status >= 400) assert.deepEqual([sentence, here.body?.code], [sentence, there.body?.code]);
    }
    const session = await site.signIn(user);
    const { here, there } = await both("GET", "/get-session", { cookie: session.cookie });
    assert.deepEqual(here.body, there.body);
  });

  // Earlier releases accept any media type that contains the name of a supported one.
  if (isNewest)
    check("another media type is rejected as by the library", async (site) => {
      const { email, password } = await site.createUser();
      const origins = { here: site.httpd.address, there: site.application.options.baseURL };
      for (const type of [
        "application/json",
        "Application/JSON ; charset=utf-8",
        "application/jsonx",
        "xapplication/json",
        "application/problem+json",
        "text/plain",
      ]) {
        const headers = (origin) => ({ origin, "content-type": type });
        const body = { email, password };
        const here = await post(site.httpd.port, "/api/auth/sign-in/email", headers(origins.here), body);
        const there = await site.application.send("POST", "/sign-in/email", headers(origins.there), body);
        assert.deepEqual(
          [type, here.status, here.body?.code, here.body?.message],
          [type, there.status, there.body?.code, there.body?.message],
        );
      }
    });

  if (isNewest)
    check("a request from another site is rejected as by the library", async (site) => {
      const user = await site.createUser();
      const own = { here: site.httpd.address, there: site.application.options.baseURL };
      const from = (origin) =>
        [
          {},
          { origin },
          { origin: "null" },
          { origin: "https://attacker.example" },
          { origin: `${origin}.attacker.example` },
          { referer: `${origin}/page` },
          { referer: "https://attacker.example/page" },
          { origin: "https://attacker.example", referer: `${origin}/page` },
          { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", origin },
          {
            "sec-fetch-site": "same-origin",
            "sec-fetch-mode": "cors",
            "sec-fetch-dest": "empty",
            origin: "null",
          },
          {
            "sec-fetch-site": "cross-site",
            "sec-fetch-mode": "navigate",
            "sec-fetch-dest": "document",
            origin,
          },
          {
            "sec-fetch-site": "cross-site",
            "sec-fetch-mode": "cors",
            "sec-fetch-dest": "empty",
            origin: "https://attacker.example",
          },
          { "sec-fetch-mode": "cors" },
          { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" },
        ].flatMap((headers) => [headers, { ...headers, cookie: "a=b" }]);
      for (const path of ["/sign-in/email", "/sign-out"])
        for (const [index, headers] of from(own.here).entries()) {
          const body = path === "/sign-out" ? {} : { email: user.email, password: user.password };
          const here = await post(site.httpd.port, `/api/auth${path}`, headers, body);
          const there = await site.application.send("POST", path, from(own.there)[index], body);
          // With a cookie, the library checks only the origin. This module also checks Sec-Fetch-Site.
          const isRejectedHereAlone =
            headers.cookie && headers["sec-fetch-site"] === "cross-site" && headers.origin === own.here;
          assert.deepEqual(
            [path, headers, here.status, here.body?.code],
            [path, headers, ...(isRejectedHereAlone ? [403, "INVALID_ORIGIN"] : [there.status, there.body?.code])],
          );
        }
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
