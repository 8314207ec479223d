// With UserAdminCleanUp, a user's rows in the tables of the library's plugins are deleted with the user.
import assert from "node:assert/strict";

import { versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { asMigrated } from "./support/styles.mjs";

const withPlugins = (style) => ({
  ...style,
  options: {
    ...style.options,
    extraPlugins: ({ apiKey, twoFactor, organization, deviceAuthorization }) => [
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
    const response = await site.application.call("POST", path, { body, cookie: session.cookie });
    assert.equal(response.status, 200, `${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const counts = async (site) => {
    const all = {};
    for (const table of tables)
      all[table] = Number((await site.database.rows(`SELECT count(*) FROM "${table}"`))[0].count);
    return all;
  };

  for (const [what, remove] of [
    ["a deletion by httpd", (site, id) => site.send("DELETE", `/cleaning/users/${id}`)],
    ["useradminctl delete", (site, id) => site.ctl(["delete", id, "--yes"])],
  ])
    check(`${what} deletes the plugins' data about the user`, async (site) => {
      const before = await counts(site);
      const { user, session } = await site.createSignedInUser();
      const { key } = await call(site, session, "/api-key/create", { name: "key" });
      const isValid = async () => (await site.application.auth.api.verifyApiKey({ body: { key } })).valid;
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
      assert.ok(await isValid());
      await remove(site, user.id);
      assert.deepEqual(await counts(site), before);
      assert.ok(!(await isValid()));
    });
};

for (const version of versions.filter((one) => !one.issuer))
  describeSite("clean up", version, withPlugins(asMigrated), tests, { runsSchema: true });
