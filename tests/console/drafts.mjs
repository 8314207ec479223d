// Tests edits that are not saved.
import assert from "node:assert/strict";

import { admin, openWithSession, make, root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site();
const application = new Site({ signIn: false, console: "UserAdminConsoleSignIn /sign-in" });
const scene = scenesOf(site);

scene("discarding edits requires a confirmation", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.type("dialog input[name=name]", "Hedy L.");
  await view.key("Escape");
  await view.read("Discard your edits?", "dialog:not(.drawer)");
  await view.check("the confirmation of discarding edits");
  await view.press("Keep editing");
  await view.waitUntilHidden("dialog:not(.drawer)");
  // Repeat without a click in between: the browser could then close the dialog itself.
  for (let count = 0; count < 3; ++count) {
    await view.key("Escape");
    await view.see("dialog:not(.drawer)");
    await view.key("Escape");
    await view.waitUntilHidden("dialog:not(.drawer)");
  }
  await view.press("Close");
  await view.see("dialog:not(.drawer)");
  assert.equal(await view.valueOf("name"), "Hedy L.");
  await view.press("Discard");
  await view.waitUntilHidden("dialog");
  assert.equal((await site.user("user-17")).name, "Hedy Lamarr");
  await view.press("Hedy Lamarr");
  await view.see("dialog.drawer .facts dd");
  await view.closeDialog();
  await view.press("New user");
  await view.type("dialog input[name=name]", "Nobody");
  await view.press("Cancel");
  await view.press("Discard");
  await view.waitUntilHidden("dialog");
});

scene("the browser asks before a reload discards edits", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.type("dialog input[name=name]", "Hedy L.");
  const asked = new Promise((resolve) => view.page.once("dialog", (question) => resolve(question.dismiss().then(() => question.type()))));
  const loaded = view.page.evaluate(() => new Promise((resolve) => {
    addEventListener("beforeunload", () => setTimeout(resolve));
    location.reload();
  })).catch(() => "loaded again");
  assert.equal(await Promise.race([asked, loaded]), "beforeunload");
  assert.equal(await view.valueOf("name"), "Hedy L.");
});

scene("edits are kept after the session expires", { email: root }, async (view) => {
  const id = await make(view, "Drafty", "drafty@example.org");
  await view.openUser("drafty@example.org");
  await view.type("dialog input[name=name]", "Drafty II");
  await view.choose("dialog select[name=role]", "admin");
  await view.ask("POST", "/api/auth/sign-out", {});
  await view.press("Save changes");
  await view.press("Give the role");
  await view.read("Your session has ended. Sign in again.");
  // The draft also survives a reload.
  await view.page.reload();
  await view.signIn(root);
  await view.read("Your edits have been restored.", "dialog.drawer .status");
  assert.deepEqual(await view.page.$$eval("dialog.drawer form :is(input, select)", (all) => all.map((each) => each.value)), ["Drafty II", "drafty@example.org", "admin"]);
  assert.equal(await view.page.evaluate(() => sessionStorage.length), 0);
  await view.press("Ban");
  await view.type("dialog input[name=reason]", "draughts");
  await view.ask("POST", "/api/auth/sign-out", {});
  await view.press("Ban");
  await view.read("Your session has ended. Sign in again.");
  await view.signIn(root);
  await view.see("dialog:not(.drawer)");
  assert.equal(await view.valueOf("reason"), "draughts");
  await view.press("Cancel");
  await view.press("Discard");
  await view.waitUntilHidden("dialog:not(.drawer)");
  await view.choose("dialog select[name=role]", "user");
  await view.save();
  assert.equal((await site.user(id)).name, "Drafty II");
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("a draft contains no password, and only its author sees it", { email: root }, async (view) => {
  const fillIn = async () => {
    await view.press("New user");
    await view.type("dialog input[name=name]", "Half Done");
    await view.type("dialog input[name=email]", "half@example.org");
    await view.press("Generate");
    await view.ask("POST", "/api/auth/sign-out", {});
    await view.press("Create user");
    await view.read("Your session has ended. Sign in again.");
  };
  await fillIn();
  await view.signIn(root);
  await view.read("Your edits have been restored.", "dialog .status");
  assert.deepEqual(await view.page.$$eval("dialog input", (all) => all.map((each) => each.value)), ["Half Done", "half@example.org", ""]);
  await view.press("Cancel");
  await view.press("Discard");
  await view.waitUntilHidden("dialog");
  await fillIn();
  await view.signIn(admin);
  await view.waitUntilIdle();
  assert.equal(await view.has("dialog"), false);
  assert.equal(await view.page.evaluate(() => sessionStorage.length), 0);
});

scene("edits are kept until their user can be read", { email: root }, async (view) => {
  const id = await make(view, "Patient", "patient@example.org");
  await view.openUser("patient@example.org");
  await view.type("dialog input[name=name]", "Patient II");
  await view.ask("POST", "/api/auth/sign-out", {});
  await view.press("Save changes");
  await view.read("Your session has ended. Sign in again.");
  let isBusy = true;
  await view.intercept((request) => isBusy && request.method() === "GET" && request.url().includes(`/${id}`) && { status: 503, body: "" });
  await view.signIn(root);
  await view.read("The service is busy.", "dialog.drawer");
  await view.press("Reload");
  await view.waitUntilIdle();
  await view.closeDialog();
  isBusy = false;
  await view.openUser("patient@example.org");
  await view.read("Your edits have been restored.", "dialog.drawer .status");
  assert.equal(await view.valueOf("name"), "Patient II");
  assert.equal(await view.page.evaluate(() => sessionStorage.length), 0);
  await view.save();
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("saving a restored draft detects a change by somebody else", { email: root }, async (view) => {
  const id = await make(view, "Contested", "contested@example.org");
  await view.openUser("contested@example.org");
  await view.type("dialog input[name=name]", "Contested by A");
  await view.ask("POST", "/api/auth/sign-out", {});
  await view.press("Save changes");
  await view.read("Your session has ended. Sign in again.");
  await site.sql(`UPDATE "user" SET "name" = 'Contested by B', "updatedAt" = '2026-03-01T09:30:00.000Z' WHERE "id" = '${id}'`);
  await view.signIn(root);
  await view.read("Your edits have been restored.", "dialog.drawer .status");
  await view.press("Save changes");
  await view.read("Somebody has changed this user in the meantime", "dialog [role=alert]");
  assert.equal((await site.user(id)).name, "Contested by B");
  await view.press("Reload and keep my edits");
  await view.waitUntilHidden("dialog .notice button");
  await view.save();
  assert.equal((await site.user(id)).name, "Contested by A");
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("edits are restored after signing in at another page", { site: application }, async (view) => {
  await openWithSession(view, application);
  await view.openUser("hedy.lamarr@example.org");
  await view.type("dialog input[name=name]", "Hedy L.");
  await view.page.deleteCookie({ name: "better-auth.session_token", domain: "localhost", path: "/" });
  await view.press("Save changes");
  await view.read("Your session has ended. Sign in again.");
  await Promise.all([view.page.waitForNavigation(), view.click("a.button")]);
  await openWithSession(view, application);
  await view.page.goto(application.address);
  await view.read("Your edits have been restored.", "dialog.drawer .status");
  assert.equal(await view.valueOf("name"), "Hedy L.");
  assert.equal(await view.page.evaluate(() => location.hash), "#user=user-17");
  await view.save();
  await view.closeDialog();
  assert.equal(await view.page.evaluate(() => location.hash), "");
  assert.equal((await application.user("user-17")).name, "Hedy L.");
});

scene("a draft of a bulk change opens no form", { email: root }, async (view) => {
  await view.waitUntilIdle();
  await view.click("thead input");
  const release = await view.hold((request) => request.url().includes("sort=name"));
  await view.press("User", "thead");
  await view.press("Ban", ".selection");
  await view.type("dialog input[name=reason]", "spring cleaning");
  await release({ status: 401, body: JSON.stringify({ success: false, error: "No autorizado" }) });
  await view.read("Your session has ended. Sign in again.");
  await view.signIn(root);
  assert.equal(await view.has("dialog"), false);
  assert.equal(await view.page.evaluate(() => sessionStorage.length), 0);
});
