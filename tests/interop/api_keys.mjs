// API keys of the application identify their owners in httpd, and both sides share the counts of uses (AuthUserAdminApiKey).
import assert from "node:assert/strict";

import { newest, secret, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { eventually } from "./support/machine.mjs";
import { asMigrated, mappedStyle, serialStyle, timestampStyle, uuidStyle } from "./support/styles.mjs";

const base = "/keyed/users";
const directives =
  `<Location "${base}">\n  Require all granted\n  AuthUserAdmin On\n  AuthUserAdminSecret "${secret}"\n` +
  "  AuthUserAdminApiKey On\n  UserAdmin On\n</Location>\n";

const day = 24 * 60 * 60 * 1000;

const snakeCase = {
  apikey: {
    fields: {
      configId: "config_id",
      referenceId: "reference_id",
      refillInterval: "refill_interval",
      refillAmount: "refill_amount",
      lastRefillAt: "last_refill_at",
      rateLimitEnabled: "rate_limit_enabled",
      rateLimitTimeWindow: "rate_limit_time_window",
      rateLimitMax: "rate_limit_max",
      requestCount: "request_count",
      lastRequest: "last_request",
      expiresAt: "expires_at",
      createdAt: "created_at",
      updatedAt: "updated_at",
    },
  },
};

const withKeys = (version, style) => {
  const schema = style.snakeCase ? snakeCase : undefined;
  const configuration = { configId: "default", enableSessionForAPIKeys: true };
  return {
    ...style,
    options: {
      ...style.options,
      extraPlugins: ({ apiKey }) => [
        // better-auth 1.4 supports only one configuration.
        version.apiKeyPackage
          ? apiKey([configuration, { configId: "other" }], { schema })
          : apiKey({ ...configuration, schema }),
      ],
    },
  };
};

const testsOf = (version) => (check) => {
  const trackKey = (site, key) => {
    site.log.addSecret(key.key);
    return key;
  };
  /** Creates a key as the application's own code does. */
  const createKey = async (site, user, values) =>
    trackKey(site, await site.application.auth.api.createApiKey({ body: { userId: user.id, ...values } }));
  const createUserAndKey = async (site, values) => {
    const user = await site.createUser();
    return { user, key: await createKey(site, user, values) };
  };
  /** Calls the application as the user. */
  const call = async (site, session, path, body) => {
    const response = await site.application.call("POST", `/api-key/${path}`, { body, cookie: session.cookie });
    assert.equal(response.status, 200, `${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };

  const asHeader = (key) => ({ "x-api-key": key });
  const asBearer = (key) => ({ authorization: `Bearer ${key}` });
  /** Reads a path from httpd, by default the caller's own record. */
  const read = (site, headers, path) => site.send("GET", `${base}${path}`, { as: null, headers });
  const use = (site, { user, key }) => read(site, asHeader(key.key), `/${user.id}`);
  /** Uses the key here. Returns the status. */
  const status = async (site, owned) => (await use(site, owned)).status;
  const verify = (site, { key }) => site.application.auth.api.verifyApiKey({ body: { key: key.key } });
  const isValid = async (site, owned) => (await verify(site, owned)).valid;
  /** Asserts that the key is rejected by httpd, with this reason in the error log. */
  const expectRejected = async (site, owned, reason, expected = 401) => {
    site.log.expect(`UA0318: the API key was rejected: ${reason}`);
    const response = await use(site, owned);
    assert.equal(response.status, expected, JSON.stringify(response.body));
    return response;
  };
  const expectRejectedByApplication = async (site, owned, code) => {
    const { valid, error } = await verify(site, owned);
    assert.deepEqual({ valid, code: error?.code }, { valid: false, code });
    return error;
  };
  /** Returns the user for whom the application accepts the key. */
  const ownerAtApplication = async (site, { key }) => {
    const { body } = await site.application.send("GET", "/get-session", asHeader(key.key));
    return body?.user?.id;
  };

  const where = ({ key }) => [{ field: "id", value: key.id }];
  const stored = async (site, owned) => {
    const { adapter } = await site.application.auth.$context;
    return adapter.findOne({ model: "apikey", where: where(owned) });
  };
  const change = async (site, owned, update) => {
    const { adapter } = await site.application.auth.$context;
    assert.ok(await adapter.update({ model: "apikey", where: where(owned), update }));
  };

  check("a key of the application identifies its owner", async (site) => {
    const { user, session } = await site.createSignedInUser();
    const key = trackKey(site, await call(site, session, "create", { name: "key" }));
    for (const headers of [asHeader(key.key), asBearer(key.key)]) {
      assert.equal((await read(site, headers, `/${user.id}`)).status, 200);
      assert.equal((await read(site, headers, "")).status, 403);
    }
    assert.equal(await ownerAtApplication(site, { key }), user.id);
    assert.ok(await isValid(site, { key }));
  });

  check("a key may have a prefix", async (site) => {
    const owned = await createUserAndKey(site, { prefix: "my-app_" });
    assert.match(owned.key.key, /^my-app_/);
    assert.equal(await status(site, owned), 200);
    assert.equal((await read(site, asBearer(owned.key.key), `/${owned.user.id}`)).status, 200);
    assert.ok(await isValid(site, owned));
  });

  const callAdmin = (path) => (site, { user }) => site.callAdminAtApplication(path, { userId: user.id });
  const update = (values) => async (site, { user, key }) =>
    assert.ok(await site.application.auth.api.updateApiKey({ body: { userId: user.id, keyId: key.id, ...values } }));
  // verifyApiKey() does not check bans.
  for (const [state, reject, accept, reason, code] of [
    ["that the application disabled", update({ enabled: false }), update({ enabled: true }), "it is disabled", "KEY_DISABLED"],
    ["that has expired", (site, owned) => change(site, owned, { expiresAt: new Date(Date.now() - 1) }), null, "it has expired", "KEY_EXPIRED"],
    ["of a user whom the application banned", callAdmin("ban-user"), callAdmin("unban-user"), "its user is banned", null],
  ])
    check(`a key ${state} is rejected`, async (site) => {
      const owned = await createUserAndKey(site, { expiresIn: (30 * day) / 1000 });
      assert.equal(await status(site, owned), 200);
      await reject(site, owned);
      await expectRejected(site, owned, reason);
      if (code) await expectRejectedByApplication(site, owned, code);
      if (!accept) return;
      await accept(site, owned);
      assert.equal(await status(site, owned), 200);
      assert.ok(await isValid(site, owned));
    });

  check("both sides count the remaining requests together", async (site) => {
    const owned = await createUserAndKey(site, { remaining: 2, rateLimitEnabled: false });
    assert.equal(await status(site, owned), 200);
    const { valid, key } = await verify(site, owned);
    assert.deepEqual({ valid, remaining: key?.remaining }, { valid: true, remaining: 0 });
    const response = await expectRejected(site, owned, "it has no requests remaining", 429);
    assert.equal(response.headers.get("retry-after"), null);
    await expectRejectedByApplication(site, owned, "USAGE_EXCEEDED");
    // The application has deleted the key.
    await expectRejected(site, owned, "there is no such key");
  });

  check("both sides accept each other's refills", async (site) => {
    const owned = await createUserAndKey(site, {
      remaining: 1,
      refillAmount: 5,
      refillInterval: day,
      rateLimitEnabled: false,
    });
    assert.equal(await status(site, owned), 200);
    await expectRejected(site, owned, "it has no requests remaining", 429);
    await expectRejectedByApplication(site, owned, "USAGE_EXCEEDED");
    await change(site, owned, { lastRefillAt: new Date(Date.now() - 2 * day) });
    assert.equal(await status(site, owned), 200);
    assert.equal((await stored(site, owned)).remaining, 4);
    assert.equal((await verify(site, owned)).key?.remaining, 3);
    // The application refills a key only if its last refill, which was by httpd, has not changed since it read the key.
    await change(site, owned, { refillInterval: 1 });
    const isDue = async () => {
      const { lastRefillAt } = await stored(site, owned);
      return Date.now() > lastRefillAt.getTime() + 1;
    };
    assert.ok(await eventually(isDue));
    assert.equal((await verify(site, owned)).key?.remaining, 4);
    await change(site, owned, { remaining: 0 });
    assert.ok(await eventually(isDue));
    assert.equal(await status(site, owned), 200);
    assert.equal((await stored(site, owned)).remaining, 4);
  });

  check("both sides count the requests of a rate limit together", async (site) => {
    const owned = await createUserAndKey(site, { rateLimitMax: 2, rateLimitTimeWindow: day });
    assert.equal(await status(site, owned), 200);
    assert.ok(await isValid(site, owned));
    const response = await expectRejected(site, owned, "its rate limit was exceeded", 429);
    const wait = Number(response.headers.get("retry-after")) * 1000;
    assert.ok(wait > 0 && wait <= day, response.headers.get("retry-after"));
    const { details } = await expectRejectedByApplication(site, owned, "RATE_LIMITED");
    // better-auth 1.4 does not return the time to wait.
    if (details) assert.ok(details.tryAgainIn <= wait);
    // The application's request starts the next window.
    await change(site, owned, { lastRequest: new Date(Date.now() - 2 * day) });
    assert.ok(await isValid(site, owned));
    assert.equal(await status(site, owned), 200);
    await expectRejectedByApplication(site, owned, "RATE_LIMITED");
    await expectRejected(site, owned, "its rate limit was exceeded", 429);
    // A request to httpd starts the next window.
    await change(site, owned, { lastRequest: new Date(Date.now() - 2 * day) });
    assert.equal(await status(site, owned), 200);
    assert.equal((await stored(site, owned)).requestCount, 1);
    assert.ok(await isValid(site, owned));
    await expectRejected(site, owned, "its rate limit was exceeded", 429);
  });

  check("a key of useradminctl is valid on both sides", async (site) => {
    const user = await site.createUser();
    const permissions = { files: ["read"] };
    const { status: created, output, error } = await site.ctl(
      ["key", "create", user.id, "--name", "deploy", "--rate", "9", "--permissions", JSON.stringify(permissions), "--json"],
    );
    assert.equal(created, 0, error);
    const owned = { user, key: trackKey(site, JSON.parse(output).data) };
    assert.equal(await status(site, owned), 200);
    const { valid, key } = await verify(site, owned);
    assert.deepEqual({ valid, permissions: key?.permissions }, { valid: true, permissions });
    assert.equal((await site.ctl(["key", "revoke", owned.key.id])).status, 0);
    await expectRejected(site, owned, "there is no such key");
    assert.ok(!(await isValid(site, owned)));
  });

  // better-auth 1.4 supports only one configuration.
  if (version.apiKeyPackage)
    check("a key of a configuration other than the default is rejected", async (site) => {
      const owned = await createUserAndKey(site, { configId: "other" });
      await expectRejected(site, owned, "there is no such key");
      const { api } = site.application.auth;
      const body = { key: owned.key.key };
      assert.ok((await api.verifyApiKey({ body: { ...body, configId: "other" } })).valid);
      assert.ok(!(await api.verifyApiKey({ body: { ...body, configId: "default" } })).valid);
    });

  if (version.losesUses) return;

  for (const [what, limits] of [
    ["remain", { remaining: 10, refillAmount: 10, refillInterval: day, rateLimitEnabled: false }],
    ["a rate limit allows", { rateLimitMax: 10, rateLimitTimeWindow: day }],
  ])
    check(`both sides together accept no more requests than ${what}`, async (site) => {
      const owned = await createUserAndKey(site, limits);
      const requests = Array.from({ length: 8 }, () => [status(site, owned), isValid(site, owned)]).flat();
      const results = await Promise.all(requests);
      const accepted = results.filter((result) => result === 200 || result === true);
      assert.equal(accepted.length, 10, JSON.stringify(results));
      assert.ok(results.every((result) => [200, 429, true, false].includes(result)), JSON.stringify(results));
    });
};

const describeKeys = (version, style) =>
  describeSite("API keys", version, withKeys(version, style), testsOf(version), { directives });

for (const version of versions.filter((one) => !one.issuer)) describeKeys(version, asMigrated);
// From 1.5 on, numeric owners are not supported, because the owner may be an organization.
describeKeys(versions[0], serialStyle);
for (const style of [uuidStyle, timestampStyle, mappedStyle]) describeKeys(newest, style);
