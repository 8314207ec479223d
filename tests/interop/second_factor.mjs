// A sign-in with a second factor may begin on one side and end on the other (AuthUserAdminSecondFactor verify). Uses the
// library's client.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { newest, versions } from "./support/applications.mjs";
import { attributesOf, openBrowser, signInDirectives as directives } from "./support/browser.mjs";
import { describeSite } from "./support/checks.mjs";
import { load } from "./support/machine.mjs";
import { asMigrated, mappedStyle, serialStyle, timestampStyle, uuidStyle } from "./support/styles.mjs";

const { createOTP } = await load("@better-auth/utils/otp");
const { base32 } = await load("@better-auth/utils/base32");

const sides = ["here", "there"];
const both = [sides, sides.toReversed()];
const cookieOf = (name) => `better-auth.${name}`;
// Neither a TOTP code nor a backup code.
const wrongCode = "12345x";

const snakeCase = {
  user: { fields: { twoFactorEnabled: "two_factor_enabled" } },
  twoFactor: {
    fields: {
      backupCodes: "backup_codes",
      userId: "user_id",
      failedVerificationCount: "failed_verification_count",
      lockedUntil: "locked_until",
    },
  },
};
const verification = { fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" } };

const withSecondFactor = (style, options = {}) => ({
  ...style,
  options: {
    ...style.options,
    ...(style.snakeCase ? { verification } : {}),
    extraPlugins: ({ twoFactor }) => [twoFactor({ ...options, schema: style.snakeCase ? snakeCase : undefined })],
  },
});

const testsOf = (version) => (check) => {
  /** Opens a browser that records the redirections to the second step. */
  const open = async (site) => {
    const { twoFactorClient } = await load(`${version.packageName}/client/plugins`);
    const redirects = [];
    const onTwoFactorRedirect = (context) => redirects.push(context);
    return { ...(await openBrowser(site, [twoFactorClient({ onTwoFactorRedirect })])), redirects };
  };
  const succeed = async (site, call) => {
    const { data, error } = await call;
    assert.equal(error, null, JSON.stringify(error));
    site.log.addSecret(data.token);
    return data;
  };
  /** Asserts that a call is rejected. Returns the status, code and message. */
  const refuse = async (call) => {
    const { data, error } = await call;
    assert.equal(data, null, JSON.stringify(data));
    return [error.status, error.code, error.message];
  };

  /** Sends the password. */
  const begin = (site, browser, side, { email, password }, more = {}) =>
    succeed(site, browser[side].signIn.email({ email, password, ...more }));
  /** Opens a browser that has sent the password. */
  const challenge = async (site, side, user, more) => {
    const browser = await open(site);
    const data = await begin(site, browser, side, user, more);
    assert.equal(data.twoFactorRedirect, true, JSON.stringify(data));
    return browser;
  };
  /** Sends a code that httpd has not accepted yet: of the current 30-second step or, if that code was used, the next one. */
  const sendCode = async (browser, side, user, more = {}) => {
    const current = () => Math.floor(Date.now() / 30_000);
    while (user.lastStep > current()) await sleep(200);
    const step = Math.max(current(), user.lastStep + 1);
    const response = await browser[side].twoFactor.verifyTotp({ code: await user.otp.hotp(step), ...more });
    if (side === "here" && !response.error) user.lastStep = step;
    return response;
  };
  const sendBackupCode = (browser, side, code) => browser[side].twoFactor.verifyBackupCode({ code });
  const sendWrongCode = (browser, side) => browser[side].twoFactor.verifyTotp({ code: wrongCode });

  /** Creates a user and enables a second factor at the application. Returns the record with the codes. */
  const enable = async (site) => {
    const user = await site.createUser();
    const browser = await open(site);
    await begin(site, browser, "there", user);
    const { twoFactor } = browser.there;
    const { totpURI, backupCodes } = await succeed(site, twoFactor.enable({ password: user.password }));
    const key = new URL(totpURI).searchParams.get("secret");
    const otp = createOTP(new TextDecoder().decode(base32.decode(key)));
    for (const value of [key, ...backupCodes]) site.log.addSecret(value);
    // A code is accepted for one 30-second step longer, so it may be sent late.
    await succeed(site, twoFactor.verifyTotp({ code: await otp.totp() }));
    return { ...user, backupCodes, otp, lastStep: 0 };
  };

  /** Asserts that the browser is signed in on both sides and that the challenge has ended. Returns the session. */
  const isSignedIn = async (site, browser, user, token) => {
    assert.ok(!browser.jar.has(cookieOf("two_factor")));
    const credentials = { cookie: browser.cookie() };
    const { user: owner, session } = await site.application.session(credentials);
    assert.deepEqual([owner.id, session.token], [user.id, token]);
    assert.deepEqual(await site.accessStatuses(user.id, credentials), [200, 403]);
    for (const side of sides) {
      const { data } = await browser[side].getSession();
      assert.deepEqual([data.user.id, data.session.token], [user.id, token]);
    }
    return session;
  };
  const isNotSignedIn = async (site, browser) => {
    assert.ok(!browser.jar.has(cookieOf("session_token")));
    for (const side of sides) assert.equal((await browser[side].getSession()).data, null);
  };
  const signIn = async (site, browser, side, user, more) => {
    const { token } = await succeed(site, sendCode(browser, side, user, more));
    return isSignedIn(site, browser, user, token);
  };


  check("a correct password leads to the second step, without a session", async (site) => {
    const user = await enable(site);
    const browser = await open(site);
    const data = await begin(site, browser, "here", user);
    assert.deepEqual(data, { twoFactorRedirect: true, twoFactorMethods: ["totp"] });
    // better-auth 1.4 passes no context.
    assert.deepEqual(browser.redirects, [version === versions[0] ? undefined : { twoFactorMethods: ["totp"] }]);
    assert.deepEqual([...browser.jar.keys()], [cookieOf("two_factor")]);
    await isNotSignedIn(site, browser);
  });

  check("a wrong code is rejected as by the application", async (site) => {
    const user = await enable(site);
    const [browser, other] = [await challenge(site, "here", user), await challenge(site, "there", user)];
    assert.deepEqual(await refuse(sendWrongCode(browser, "here")), await refuse(sendWrongCode(other, "there")));
    assert.deepEqual(
      await refuse(sendBackupCode(browser, "here", wrongCode)),
      await refuse(sendBackupCode(other, "there", wrongCode)),
    );
    await isNotSignedIn(site, browser);
    await signIn(site, browser, "here", user);
  });

  check("a code without a challenge is rejected as by the application", async (site) => {
    const user = await enable(site);
    const browser = await challenge(site, "here", user);
    const used = browser.jar.get(cookieOf("two_factor"));
    await signIn(site, browser, "here", user);
    for (const value of [undefined, `${used}x`, used]) {
      const errors = [];
      for (const side of sides) {
        const other = await open(site);
        if (value) other.jar.set(cookieOf("two_factor"), value);
        errors.push(await refuse(sendCode(other, side, user)));
      }
      assert.deepEqual(errors[0], errors[1], `challenge ${value}`);
    }
  });

  check("a backup code signs in once, on either side", async (site) => {
    const user = await enable(site);
    for (const [index, [one, other]] of both.entries()) {
      const code = user.backupCodes[index];
      const browser = await challenge(site, one, user);
      const { token } = await succeed(site, sendBackupCode(browser, one, code));
      await isSignedIn(site, browser, user, token);
      const { backupCodes } = await site.application.auth.api.viewBackupCodes({ body: { userId: user.id } });
      assert.deepEqual(backupCodes, user.backupCodes.slice(index + 1));
      const refused = await challenge(site, one, user);
      const error = await refuse(sendBackupCode(refused, one, code));
      assert.deepEqual(error, await refuse(sendBackupCode(refused, other, code)));
    }
  });

  for (const [one, other] of both) {
    check(`a challenge that begins ${one} is completed ${other}`, async (site) => {
      const user = await enable(site);
      const browser = await challenge(site, one, user);
      await signIn(site, browser, other, user);
      const another = await challenge(site, one, user);
      const { token } = await succeed(site, sendBackupCode(another, other, user.backupCodes[5]));
      await isSignedIn(site, another, user, token);
    });

    check(`a device trusted ${one} is trusted on both sides`, async (site) => {
      const user = await enable(site);
      const browser = await challenge(site, one, user);
      await signIn(site, browser, one, user, { trustDevice: true });
      const first = browser.jar.get(cookieOf("trust_device"));
      for (const side of [other, one]) {
        browser.jar.delete(cookieOf("session_token"));
        const { token } = await begin(site, browser, side, user);
        await isSignedIn(site, browser, user, token);
      }
      // Each sign-in replaces the cookie, so the first one is no longer accepted.
      browser.jar.set(cookieOf("trust_device"), first);
      assert.ok((await begin(site, browser, other, user)).twoFactorRedirect);
      assert.ok(!browser.jar.has(cookieOf("trust_device")));
    });

    check(`a session that is not remembered stays so: ${one}, then ${other}`, async (site) => {
      const user = await enable(site);
      const browser = await challenge(site, one, user, { rememberMe: false });
      const { expiresAt } = await signIn(site, browser, other, user);
      assert.ok(browser.jar.has(cookieOf("dont_remember")));
      const hours = (new Date(expiresAt) - Date.now()) / 3_600_000;
      assert.ok(hours > 23 && hours <= 24, `a session of ${hours} hours`);
    });
  }

  check("httpd accepts a code once, even with another challenge", async (site) => {
    const user = await enable(site);
    const code = await user.otp.totp();
    const [browser, other] = [await challenge(site, "here", user), await challenge(site, "here", user)];
    await succeed(site, browser.here.twoFactor.verifyTotp({ code }));
    const error = await refuse(other.here.twoFactor.verifyTotp({ code }));
    assert.deepEqual(error, await refuse(sendWrongCode(other, "here")));
    await isNotSignedIn(site, other);
  });

  check("a user banned between the two steps is rejected", async (site) => {
    const user = await enable(site);
    const browser = await challenge(site, "here", user);
    await site.callAdminAtApplication("ban-user", { userId: user.id });
    for (const send of [sendCode, (one, side) => sendBackupCode(one, side, user.backupCodes[0])]) {
      // Send the code to httpd first, because the library marks it as used.
      const here = await refuse(send(browser, "here", user));
      await isNotSignedIn(site, browser);
      const copy = await open(site);
      await site.callAdminAtApplication("unban-user", { userId: user.id });
      await begin(site, copy, "there", user);
      await site.callAdminAtApplication("ban-user", { userId: user.id });
      assert.deepEqual(here, await refuse(send(copy, "there", user)));
    }
    await site.callAdminAtApplication("unban-user", { userId: user.id });
    await signIn(site, browser, "here", user);
  });

  check("responses have the library's cookies", async (site) => {
    const user = await enable(site);
    for (const more of [{}, { rememberMe: false }]) {
      const browsers = await Promise.all(sides.map((side) => challenge(site, side, user, more)));
      const compare = () => {
        const [here, there] = browsers.map(({ responses }) => attributesOf(responses.at(-1).headers));
        assert.deepEqual(here, there);
      };
      compare();
      for (const [index, side] of sides.entries())
        await succeed(site, sendCode(browsers[index], side, user, { trustDevice: true }));
      compare();
      for (const [index, side] of sides.entries()) await begin(site, browsers[index], side, user);
      compare();
    }
  });

  // The releases that lock a second factor also count the codes of a challenge.
  if (version.locksSecondFactor)
    check("five codes of a challenge are counted together", async (site) => {
      const user = await enable(site);
      for (const [one, other] of both) {
        const browser = await challenge(site, one, user);
        for (const side of [one, other, one, other, one]) {
          const error = await refuse(sendWrongCode(browser, side));
          assert.deepEqual(error.slice(0, 2), [401, "INVALID_CODE"]);
        }
        const copy = await open(site);
        for (const [name, value] of browser.jar) copy.jar.set(name, value);
        const error = await refuse(sendCode(browser, one, user));
        assert.deepEqual(error.slice(0, 2), [400, "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE"]);
        assert.ok(!browser.jar.has(cookieOf("two_factor")));
        assert.equal((await refuse(sendCode(copy, other, user)))[1], "INVALID_TWO_FACTOR_COOKIE");
        await signIn(site, await challenge(site, one, user), one, user);
      }
    });

  if (version.locksSecondFactor)
    check("both sides count wrong codes until the lock", async (site) => {
      const user = await enable(site);
      const { adapter } = await site.application.auth.$context;
      const row = { model: "twoFactor", where: [{ field: "userId", value: user.id }] };
      const fail = async (browser, side, times) => {
        for (let time = 0; time < times; ++time) await refuse(sendWrongCode(browser, side));
      };
      const state = async () => {
        const { failedVerificationCount, lockedUntil } = await adapter.findOne(row);
        return [failedVerificationCount, lockedUntil !== null];
      };
      // A correct code resets the count.
      for (const [one, other] of both) {
        const browser = await challenge(site, one, user);
        await fail(browser, one, 4);
        assert.deepEqual(await state(), [4, false]);
        await signIn(site, browser, other, user);
        assert.deepEqual(await state(), [0, false]);
      }
      // Each side in turn sees the tenth failure.
      for (const [one, other] of both) {
        // The application accepts five failures per challenge.
        const browsers = { here: await challenge(site, "here", user), there: await challenge(site, "there", user) };
        await fail(browsers[other], other, 5);
        await fail(browsers[one], one, 4);
        assert.deepEqual(await state(), [9, false]);
        await fail(browsers[one], one, 1);
        assert.deepEqual(await state(), [10, true]);
        for (const send of [sendCode, (browser, side) => sendBackupCode(browser, side, user.backupCodes[0])]) {
          const error = await refuse(send(browsers.here, "here", user));
          assert.deepEqual(error, await refuse(send(browsers.there, "there", user)));
          assert.deepEqual(error.slice(0, 2), [429, "ACCOUNT_TEMPORARILY_LOCKED"]);
        }
        await adapter.update({ ...row, update: { lockedUntil: new Date(Date.now() - 1000) } });
        await signIn(site, await challenge(site, one, user), one, user);
        assert.deepEqual(await state(), [0, false]);
      }
    });

  check("the password suffices after the application disabled the second factor", async (site) => {
    const user = await enable(site);
    const browser = await challenge(site, "here", user);
    await signIn(site, browser, "here", user);
    await succeed(site, browser.there.twoFactor.disable({ password: user.password }));
    const other = await open(site);
    const { token } = await begin(site, other, "here", user);
    await isSignedIn(site, other, user, token);
    assert.equal(other.redirects.length, 0);
  });
};

const describe = (version, style, options, title = "second factor") =>
  describeSite(title, version, withSecondFactor(style, options), testsOf(version), { directives, runsSchema: true });

for (const version of versions.filter((one) => !one.issuer)) describe(version, asMigrated);
for (const style of [serialStyle, uuidStyle, timestampStyle, mappedStyle]) describe(newest, style);
const plain = { backupCodeOptions: { storeBackupCodes: "plain" } };
describe(newest, asMigrated, plain, "second factor, backup codes as plain text");
