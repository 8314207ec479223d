// Passwords and addresses: each side accepts what the other stores.
import assert from "node:assert/strict";

import { Application, argon2idPasswords, newest, versions } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { Database } from "./support/database.mjs";
import { built, run } from "./support/machine.mjs";
import { service, newUserFields } from "./support/site.mjs";
import { asMigrated, serialStyle } from "./support/styles.mjs";

const storedPassword = async (site, id) =>
  (await site.database.rows('SELECT "password" FROM "account" WHERE "userId" = $1', [id]))[0].password;

const passwords = ["contraseña con ñ y espacios ", "ﬁnal ½ Å Ω 가", "пароль密码🔑🔑", "x".repeat(128)];

// The same accounts are accepted by Basic authentication in other Locations.
const directives = `<Location "/dialogue">
  AuthType Basic
  AuthName "The application's accounts"
  AuthBasicProvider useradmin
  Require user-role user admin superAdmin
</Location>
`;

const dialogue = async (site, email, password) => {
  const word = Buffer.from(`${email}:${password}`).toString("base64");
  return (await site.send("GET", "/dialogue/", { as: null, headers: { authorization: `Basic ${word}` } }))
    .status;
};
const accepted = 404; // there is no page

const tests = (check) => {
  check("useradminctl check derives the required directives from the application's rows", async (site) => {
    // A database of its own, because other tests leave rows of several kinds.
    const database = await Database.make();
    site.beforeClose(() => database.close());
    const application = await Application.make(site.version, database, site.style.options);
    await application.migrate();
    await application.signUp("Ana", "ana@example.org", "contraseña de Ana");
    const { output } = await run(built("useradminctl"), [
      "--driver",
      database.driver,
      "--params",
      database.params,
      "check",
      "--json",
      "--account-id",
      "email",
      "--email-case",
      "keep",
      "--hash",
      "argon2id",
    ]);
    assert.deepEqual(JSON.parse(output).data.directives, [
      "UserAdminEmailCase lower",
      "UserAdminAccountId user-id",
      "UserAdminPasswordHash scrypt",
    ]);
  });

  check("AuthBasicProvider useradmin accepts passwords set in the application, scrypt and argon2id", async (site) => {
    for (const application of [
      site.application,
      await site.openApplication({ emailAndPassword: argon2idPasswords }),
    ]) {
      const person = newUserFields();
      site.log.addSecret(person.password);
      const { user } = site.trackSession(await application.signUp(person.name, person.email, person.password));
      assert.equal(await dialogue(site, person.email, person.password), accepted);
      assert.equal(await dialogue(site, user.email, "another password"), 401);
      assert.equal(await dialogue(site, "nobody@example.org", person.password), 401);
      await site.callAdminAtApplication("ban-user", { userId: user.id });
      assert.equal(await dialogue(site, person.email, person.password), 401);
    }
    // httpd's own log lines about a rejection.
    for (const tag of ["AH01617", "AH01618", "AH01807"]) site.log.allow(tag);
  });

  check("scrypt: users can sign in with any password set by httpd", async (site) => {
    for (const password of passwords) {
      const user = await site.createUser(newUserFields({ password }));
      await site.signIn(user);
      assert.match(await storedPassword(site, user.id), /^[0-9a-f]{32}:[0-9a-f]{128}$/);
    }
  });

  check("a password of 129 letters works as in the library", async (site) => {
    const { longestPassword } = site.version;
    const user = await site.createUser(newUserFields({ password: "x".repeat(129) }));
    const { status, body } = await site.application.signIn(user.email, user.password);
    if (user.password.length <= longestPassword) assert.equal(status, 200);
    else assert.deepEqual([status, body.code], [400, "PASSWORD_TOO_LONG"]);
  });

  check("scrypt: composed and decomposed letters are the same password", async (site) => {
    const user = await site.createUser(newUserFields({ password: "contraseña ﬁna".normalize("NFD") }));
    await site.signIn({ ...user, password: "contraseña fina" });
  });

  check(
    "argon2id: users can sign in with any password set by httpd",
    async (site) => {
      const application = await site.openApplication({ emailAndPassword: argon2idPasswords });
      for (const password of passwords) {
        const user = await site.createUser(newUserFields({ password }), "/argon2id/users");
        await site.signIn(user, application);
        assert.equal((await application.signIn(user.email, `?${password.slice(1)}`)).status, 401);
        assert.match(await storedPassword(site, user.id), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      }
    },
  );

  check(
    "UserAdminEmailCase lower: an address in capitals signs in",
    async (site) => {
      const person = newUserFields();
      const user = await site.createUser({ ...person, email: person.email.toUpperCase() });
      assert.equal(user.email, person.email);
      for (const email of [person.email, person.email.toUpperCase()]) await site.signIn({ ...person, email });
      const again = await site.send("POST", "/api/users", {
        body: { ...person, email: person.email.toUpperCase() },
      });
      assert.deepEqual([again.status, again.body.error], [400, "El email ya está registrado"]);
      const taken = await site.application.signUp("Otra", person.email.toUpperCase(), "otra contraseña");
      assert.notEqual(taken.status, 200);
    },
  );

  check(
    "UserAdminAccountId writes the account row of this release",
    async (site) => {
      const user = await site.createUser();
      const [account] = await site.database.rows('SELECT * FROM "account" WHERE "userId" = $1', [user.id]);
      assert.equal(account.accountId, site.version.accountId === "email" ? user.email : user.id);
      assert.equal(account.providerId, "credential");
      if (site.version.issuer) assert.equal(account.issuer, "local:credential");
    },
  );

  check("UserAdminAccountId user-id works with every release, email up to 1.6", async (site) => {
    const signsIn = async (path) => {
      const user = await site.createUser(newUserFields(), path);
      return (await site.application.signIn(user.email, user.password)).status === 200;
    };
    assert.deepEqual(
      [await signsIn("/user-id/users"), await signsIn("/email/users")],
      [true, site.version.accountId === "email"],
    );
  });

  check("a password that the user changed in the application stays valid", async (site) => {
    const { user, session } = await site.createSignedInUser();
    const response = await site.application.call("POST", "/change-password", {
      body: { currentPassword: user.password, newPassword: "la contraseña nueva" },
      cookie: session.cookie,
    });
    assert.equal(response.status, 200, JSON.stringify(response.body));
    await site.change(user.id, { name: "Con nombre nuevo" });
    await site.signIn({ ...user, password: "la contraseña nueva" });
    assert.equal((await site.application.signIn(user.email, user.password)).status, 401);
  });

  check("a password that an administrator set in the application signs in", async (site) => {
    const user = await site.createUser();
    await site.callAdminAtApplication("set-user-password", {
      userId: user.id,
      newPassword: "puesta por la administración",
    });
    await site.signIn({ ...user, password: "puesta por la administración" });
  });
};

for (const [version, style] of [
  ...versions.map((version) => [version, asMigrated]),
  [newest, { ...serialStyle, hash: "scrypt" }],
])
  describeSite("passwords and addresses", version, style, tests, {
    directives:
      directives +
      service("/argon2id/users", version, "argon2id") +
      service("/email/users", { accountId: "email" }, "scrypt") +
      service("/user-id/users", { accountId: "user-id" }, "scrypt"),
  });
