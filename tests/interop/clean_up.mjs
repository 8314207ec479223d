// What the library's plugins keep of a user: with UserAdminCleanUp, it ends with the user.
import assert from "node:assert/strict";

import { versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { asMigrated } from "./support/styles.mjs";

// The schema of @better-auth/api-key, which is a package of its own from 1.5 on: what this service uses of it.
const date = { type: "date", required: true };
const apiKeySchema = () => ({
  id: "api-key",
  schema: {
    apikey: {
      fields: {
        configId: { type: "string", required: true, defaultValue: "default" },
        referenceId: { type: "string", required: true },
        key: { type: "string", required: true },
        enabled: { type: "boolean", required: false, defaultValue: true },
        createdAt: date,
        updatedAt: date,
      },
    },
  },
});

const withPlugins = (style) => ({
  ...style,
  options: {
    ...style.options,
    furtherPlugins: ({ apiKey = apiKeySchema, twoFactor, organization, deviceAuthorization }) => [
      apiKey(),
      twoFactor(),
      organization(),
      // 1.4 requires the schema.
      deviceAuthorization({ validateClient: () => true, schema: {} }),
    ],
  },
});

const tables = ["apikey", "twoFactor", "member", "invitation", "deviceCode", "verification"];

const tests = (check) => {
  const call = async (site, session, path, body) => {
    const reply = await site.application.call("POST", path, { body, cookie: session.cookie });
    assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  /** Makes an API key of the user; its id and a function that tells whether it is valid. */
  const createKey = async (site, user, session) => {
    if (site.application.auth.api.verifyApiKey) {
      const { id, key } = await call(site, session, "/api-key/create", { name: "key" });
      return { id, isValid: async () => (await site.application.auth.api.verifyApiKey({ body: { key } })).valid };
    }
    const { adapter } = await site.application.auth.$context;
    const now = new Date();
    const { id } = await adapter.create({
      model: "apikey",
      data: { referenceId: user.id, key: user.id, enabled: true, createdAt: now, updatedAt: now },
    });
    const find = () => adapter.findOne({ model: "apikey", where: [{ field: "id", value: id }] });
    return { id, isValid: async () => (await find())?.enabled === true };
  };
  const counts = async (site) => {
    const all = {};
    for (const table of tables)
      all[table] = Number((await site.database.rows(`SELECT count(*) FROM "${table}"`))[0].count);
    return all;
  };

  for (const [what, remove] of [
    ["a deletion here", (site, id) => site.here("DELETE", `/cleaning/users/${id}`)],
    ["useradminctl delete", (site, id) => site.control(["delete", id, "--yes"])],
  ])
    check(`${what} ends what the plugins keep of the user`, async (site) => {
      const before = await counts(site);
      const { user, session } = await site.signedIn();
      const key = await createKey(site, user, session);
      const { id: organizationId } = await call(site, session, "/organization/create", {
        name: user.id,
        slug: user.id,
      });
      await call(site, session, "/organization/invite-member", {
        organizationId,
        email: `invited.${user.id}@example.org`,
        role: "member",
      });
      const { user_code: userCode } = await call(site, session, "/device/code", { client_id: "device" });
      const claimed = await site.application.call("GET", `/device?user_code=${userCode}`, {
        cookie: session.cookie,
      });
      assert.equal(claimed.status, 200, JSON.stringify(claimed.body));
      await call(site, session, "/device/approve", { userCode });
      await call(site, session, "/two-factor/enable", { password: user.password });
      const { internalAdapter } = await site.application.auth.$context;
      await internalAdapter.createVerificationValue({
        identifier: `sign-in-otp-${user.email}`,
        value: "123456:0",
        expiresAt: new Date(Date.now() + 60_000),
      });
      const with_user = await counts(site);
      for (const table of tables) assert.equal(with_user[table], before[table] + 1, table);
      assert.ok(await key.isValid());
      await remove(site, user.id);
      assert.deepEqual(await counts(site), before);
      assert.ok(!(await key.isValid()));
    });

  check("a ban disables the user's API keys, and lifting it enables those that it disabled", async (site) => {
    const { user, session } = await site.signedIn();
    const [key, disabled] = [await createKey(site, user, session), await createKey(site, user, session)];
    await site.database.pool.query('UPDATE "apikey" SET "enabled" = FALSE WHERE "id" = $1', [disabled.id]);
    await site.change(user.id, { banned: true }, "/cleaning/users");
    assert.ok(!(await key.isValid()));
    await site.change(user.id, { banned: false }, "/cleaning/users");
    assert.ok(await key.isValid());
    assert.ok(!(await disabled.isValid()));
  });
};

for (const version of versions.filter((one) => !one.issuer))
  describeSite("clean up", version, withPlugins(asMigrated), tests, { runsSchema: true });
