// Mailed links: the application accepts the tokens.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { newest, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { work } from "./support/machine.mjs";
import { service, newUserFields } from "./support/site.mjs";
import { asMigrated, serialStyle } from "./support/styles.mjs";

const newPassword = "elegida por correo";

/** Creates a mail command that keeps the message. Returns the directives of a service that runs it. */
const directives = (site) => {
  const folder = mkdtempSync(join(work, "mail-"));
  chmodSync(folder, 0o777);
  site.kept = `${folder}/message`;
  site.beforeClose(() => rmSync(folder, { recursive: true }));
  writeFileSync(`${folder}/sendmail`, `#!/bin/sh\ncat >${site.kept}\nchmod 666 ${site.kept}\n`, { mode: 0o755 });
  return service("/mailing/users", site.version, "argon2id").replace(
    "</Location>",
    `  UserAdminExtras On
  UserAdminMailCommand "${folder}/sendmail -t"
  UserAdminMailFrom support@example.org
  UserAdminMailPasswordLink http://localhost:3000/reset?token={token}
  UserAdminMailVerifyLink http://localhost:3000/api/auth/verify-email?token={token}
</Location>`,
  );
};

const tokenOf = (site) => {
  const message = readFileSync(site.kept, "utf8");
  const text = Buffer.from(message.slice(message.indexOf("\n\n")), "base64").toString();
  const [, token] = /token=(\S+)/.exec(text);
  site.log.addSecret(token);
  return token;
};

const sendLink = async (site, user, kind) => {
  const { status, body } = await site.send("POST", `/mailing/users/${user.id}/${kind}-link`);
  assert.equal(status, 200, JSON.stringify(body));
  return tokenOf(site);
};

const reset = async (application, token) =>
  (await application.call("POST", "/reset-password", { body: { newPassword, token } })).status;

const tests = (check) => {
  check("resetPassword accepts the token of a link once", async (site) => {
    const user = await site.createUser();
    const token = await sendLink(site, user, "password");
    assert.equal(await reset(site.application, `${token.slice(1)}x`), 400);
    assert.equal(await reset(site.application, token), 200);
    await site.signIn({ ...user, password: newPassword });
    assert.equal(await reset(site.application, token), 400);
  });

  check("resetPassword rejects a link that is no longer valid", async (site) => {
    const user = await site.createUser();
    const token = await sendLink(site, user, "password");
    await site.change(user.id, { email: newUserFields().email }, "/mailing/users");
    assert.equal(await reset(site.application, token), 400);
  });

  check("resetPassword accepts a token with any storage of identifiers", async (site) => {
    const values = new Map();
    const secondaryStorage = {
      get: (key) => values.get(key) ?? null,
      set: (key, value) => void values.set(key, value),
      delete: (key) => void values.delete(key),
      getAndDelete: (key) => {
        const value = values.get(key) ?? null;
        values.delete(key);
        return value;
      },
    };
    for (const options of [
      { verification: { storeIdentifier: "hashed" } },
      { verification: { storeInDatabase: true }, secondaryStorage },
    ]) {
      const user = await site.createUser();
      const token = await sendLink(site, user, "password");
      assert.equal(await reset(await site.openApplication(options), token), 200);
    }
  });

  check("an invited user sets the first password in the application", async (site) => {
    const { password, ...person } = newUserFields();
    const { status, body } = await site.send("POST", "/mailing/users", { body: { ...person, invite: true } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await site.application.signIn(person.email, password)).status, 401);
    assert.equal(await reset(site.application, tokenOf(site)), 200);
    await site.signIn({ ...person, password: newPassword });
  });

  check("verify-email accepts the token of a link for that address", async (site) => {
    const person = newUserFields();
    site.log.addSecret(person.password);
    const { user } = site.trackSession(
      await site.application.signUp(person.name, person.email, person.password),
    );
    assert.equal((await site.recordAtService(user.id)).emailVerified, false);
    const token = await sendLink(site, user, "verification");
    assert.equal((await site.application.call("GET", `/verify-email?token=${token.slice(0, -1)}`)).status, 401);
    const response = await site.application.call("GET", `/verify-email?token=${token}`);
    assert.deepEqual([response.status, response.body.status], [200, true]);
    assert.equal((await site.recordAtService(user.id)).emailVerified, true);
  });
};

for (const [version, style] of [...versions.map((one) => [one, asMigrated]), [newest, serialStyle]])
  describeSite("mailed links", version, style, tests, { directives, runsSchema: true });
