// Tests signing in to the console and signing out.
import { describe } from "node:test";
import assert from "node:assert/strict";

import { admin, make, openWithSession, root, scenesOf, secret } from "./support/scene.mjs";
import { password, Site } from "./support/site.mjs";

const site = new Site();
// The backup codes are aaaaa-bbbbb and ccccc-ddddd, encrypted with the secret as better-auth does.
const backupCodes =
  "000102030405060708090a0b0c0d0e0f1011121314151617701eadf76239860842bd9cd0c8166bc918908d5ed98d6c32ab90a0a49d9e22299fb7708f128259f1863b0d6138";
// A site with a superAdmin who has a second factor.
const factored = new Site({ secret }, (each) => each.addSecondFactor("root-1", backupCodes));
// A site next to an application with its own sign-in.
const application = new Site({ signIn: false, console: "UserAdminConsoleSignIn /sign-in?then=/admin" });
const scene = scenesOf(site);

scene("without a session the console shows the sign-in form", {}, async (view) => {
  await view.see("form");
  assert.ok(!(await view.text()).includes("@"));
  await view.press("Sign in");
  assert.equal(await view.text(".field .wrong"), "Enter an email address.\nEnter a password.");
  await view.type("input[name=email]", root);
  await view.type("input[name=password]", "not the password");
  await view.press("Sign in");
  await view.read("Wrong email or password.", "[role=alert]");
  await view.check("sign-in with an error");
  await view.signIn(root);
  await view.see("tbody tr");
});

/** Enters the address and password of a user with a second factor. */
const enterPassword = async (view) => {
  await view.type("input[name=email]", root);
  await view.type("input[name=password]", password);
  await view.press("Sign in");
  await view.see("input[name=code]");
};

scene("a user with a second factor must enter a code", { site: factored }, async (view) => {
  await enterPassword(view);
  await view.check("second factor");
  await view.press("Cancel");
  await enterPassword(view);
  await view.type("input[name=code]", "aaaaa-aaaaa");
  await view.press("Sign in");
  await view.read("Wrong code.", "[role=alert]");
  await view.type("input[name=code]", "aaaaa-bbbbb");
  await view.page.click("input[name=trust]");
  await view.press("Sign in");
  await view.see("tbody tr");
  await view.press("Sign out");
  await view.signIn(root);
  await view.see("tbody tr");
});

scene("an expired challenge leads back to the password", { site: factored }, async (view) => {
  await enterPassword(view);
  await view.page.deleteCookie({ name: "better-auth.two_factor", domain: "localhost", path: "/" });
  await view.type("input[name=code]", "ccccc-ddddd");
  await view.press("Sign in");
  await view.read("That took too long. Sign in again.");
  await view.see("input[name=password]");
});

scene("after five wrong codes the console asks for the password again", { site: factored }, async (view) => {
  await enterPassword(view);
  await view.intercept((request) => request.url().includes("/two-factor/") && { status: 400, body: JSON.stringify({ message: "Too many attempts. Please request a new code.", code: "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE" }) });
  await view.type("input[name=code]", "aaaaa-aaaaa");
  await view.press("Sign in");
  await view.read("Too many wrong codes. Sign in again.");
  await view.see("input[name=password]");
});

scene("sign-in and sign-out report a rejected origin", {}, async (view) => {
  let isRejected = true;
  await view.intercept((request) => isRejected && request.url().includes("/api/auth/sign-") && { status: 403, body: JSON.stringify({ message: "Invalid origin", code: "INVALID_ORIGIN" }) });
  await view.type("input[name=email]", root);
  await view.type("input[name=password]", password);
  await view.press("Sign in");
  await view.read("The origin of this page is not allowed.", "[role=alert]");
  isRejected = false;
  await view.signIn(root);
  isRejected = true;
  await view.press("Sign out");
  await view.read("The origin of this page is not allowed.", ".toast");
});

scene("signing out or an expired session leads to the form", { email: root }, async (view) => {
  await view.press("Sign out");
  await view.read("You have signed out.");
  await view.page.reload();
  await view.see("input[name=password]");
  await view.signIn(root);
  await view.ask("POST", "/api/auth/sign-out", {});
  await view.type("input[type=search]", "a");
  await view.read("Your session has ended. Sign in again.");
});

scene("a response that arrives after signing out is ignored", { email: root }, async (view) => {
  await view.waitUntilIdle();
  const release = await view.holdSearch("grace");
  await view.press("Sign out");
  await view.read("You have signed out.");
  const response = view.page.waitForResponse((response) => response.url().includes("search=grace"));
  await release();
  assert.equal((await response).status(), 401);
  await view.waitUntilIdle();
  assert.match(await view.text(), /You have signed out\./);
});

scene("a banned user cannot sign in", {}, async (view) => {
  await view.type("input[name=email]", "alan.turing@example.org");
  await view.type("input[name=password]", password);
  await view.press("Sign in");
  await view.read("This account is banned.", "[role=alert]");
});

scene("after signing in, the focus is on the page's heading", { site: factored }, async (view) => {
  const focusedTag = () => view.page.evaluate(() => document.activeElement.tagName);
  await view.signIn(admin);
  assert.equal(await focusedTag(), "H1");
  await view.press("Sign out");
  await enterPassword(view);
  await view.focusOn("code");
  await view.type("input[name=code]", "ccccc-ddddd");
  await view.press("Sign in");
  await view.see("header.bar");
  await view.waitUntilIdle();
  assert.equal(await focusedTag(), "H1");
});

scene("after a sign-out elsewhere, Back shows no data", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.ask("POST", "/api/auth/sign-out", {});
  const release = await view.hold((request) => request.url().endsWith("?caller"));
  // As if the browser had kept the page in its back/forward cache, which Puppeteer disables.
  await view.page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  assert.ok(!(await view.text()).includes("Lamarr"), await view.text());
  await release();
  await view.read("Your session has ended. Sign in again.");
  await view.see("input[name=password]");
});

scene("the page follows a sign-in in another tab", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.type("dialog input[name=name]", "Hedy L.");
  const changeTab = () => view.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await changeTab();
  await view.waitUntilIdle();
  assert.equal(await view.valueOf("name"), "Hedy L.");
  await view.ask("POST", "/api/auth/sign-in/email", { email: admin, password });
  await changeTab();
  await view.read("Olivia Ortiz", "header.bar");
  await view.see("dialog.drawer .facts dd");
  assert.equal(await view.valueOf("name"), "Hedy Lamarr");
  await view.ask("POST", "/api/auth/sign-out", {});
  await changeTab();
  await view.read("Your session has ended. Sign in again.");
});

scene("after losing the role, a caller sees the page of the new one", { email: root }, async (view) => {
  const id = await make(view, "Dana Demoted", "dana@example.org");
  await view.ask("PUT", `/api/users/${id}`, { role: "superAdmin" });
  await view.press("Sign out");
  await view.signIn("dana@example.org", "12345678");
  await view.see("tbody tr");
  await view.ask("PUT", `/api/users/${id}`, { role: "user" });
  await view.type("input[type=search]", "ada");
  await view.read("Only administrators can see other users.");
  assert.equal(await view.has("table"), false);
  await site.ctl(["delete", "--yes", "dana@example.org"]);
});

describe("with the application's session", () => {
  scene("without a session the console links to the application's sign-in", { site: application }, async (view) => {
    await view.read("Sign in to the application first");
    assert.equal(await view.page.$eval("a.button", (link) => link.getAttribute("href")), "/sign-in?then=/admin");
    assert.equal(await view.has("form"), false);
  });

  scene("with a session of the application, sign-out is the application's", { site: application }, async (view) => {
    await openWithSession(view, application);
    await view.read("Ada Lovelace", "header.bar");
    assert.equal(await view.button("Sign out"), null);
  });
});

scene("an address that cannot exist is reported like a wrong password", {}, async (view) => {
  await view.type("input[name=email]", "ada@example");
  await view.type("input[name=password]", password);
  await view.press("Sign in");
  await view.read("Wrong email or password.", "[role=alert]");
});
