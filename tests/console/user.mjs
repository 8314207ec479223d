// Tests creating, editing and deleting one user.
import assert from "node:assert/strict";

import { admin, make, root, scenesOf, secret, user } from "./support/scene.mjs";
import { password, Site } from "./support/site.mjs";

const site = new Site();
// A site that mails links.
const mailing = new Site({
  secret,
  hasAuditLog: true,
  directives:
    'UserAdminExtras On\nUserAdminMailCommand /bin/true\nUserAdminMailFrom a@example.org\nUserAdminMailPasswordLink https://a.example/{token}\nUserAdminMailVerifyLink https://a.example/{token}',
});
const ending = new Site({ directives: "UserAdminEndSessions On" });
const scene = scenesOf(site);

scene("a user sees only their own record, read-only", { email: user }, async (view) => {
  await view.read("Ulises Vega");
  await view.read("ulises-1");
  assert.equal(await view.has("table"), false);
  assert.deepEqual(await view.page.$$eval("button", (all) => all.map((each) => each.textContent)), ["Sign out"]);
  assert.ok(!view.requests.some((each) => each.startsWith("/api/users?")), "users are listed");
});

scene("an admin can change only names and addresses of users", { email: admin }, async (view) => {
  await view.read("users with the role");
  await view.page.$$eval("tbody .pill.admin, tbody .pill.superAdmin", (pills) => pills.length).then((count) => assert.equal(count, 0));
  assert.ok(!(await view.text(".tools")).includes("Role"));
  await view.openUser("marta.nunez@example.org");
  for (const name of ["Ban", "Delete user", "Set a password"]) assert.equal(await view.button(name), null, name);
  assert.equal(await view.has("dialog select"), false);
  await view.type("dialog input[name=name]", "Marta Núñez Vela");
  await view.save();
  await view.check("an admin's drawer");
  assert.equal((await site.user("user-0")).name, "Marta Núñez Vela");
  await view.key("Escape");
  await view.press("New user");
  assert.equal(await view.has("dialog select"), false);
  await view.type("dialog input[name=name]", "Nina Neu");
  await view.type("dialog input[name=email]", "nina@example.org");
  await view.press("Generate");
  await view.press("Create user");
  await view.read("Nina Neu has been created.");
  await view.waitUntilHidden("dialog");
  assert.equal((await site.userAt("nina@example.org")).role, "user");
});

scene("a superAdmin invites a user, and sends links", { site: mailing, email: root }, async (view) => {
  await view.press("New user");
  await view.type("dialog input[name=name]", "Iris Vega");
  await view.type("dialog input[name=email]", "iris@example.org");
  await view.check("a new user with an invitation");
  await view.press("Create user");
  await view.read("Iris Vega has been created.");
  await view.openUser("iris@example.org");
  assert.equal(await view.button("Send a link to verify the address"), null);
  await view.press("Send a link to set a password");
  await view.read("The link has been sent to iris@example.org.", "dialog.drawer .status");
  await view.click("details:last-of-type summary");
  await view.read("Password link sent", "dialog.drawer");
  await mailing.sql(`UPDATE "user" SET "emailVerified" = FALSE WHERE "email" = 'iris@example.org'`);
  await view.page.reload();
  await view.read("Send a link to verify the address", "dialog.drawer");
  await view.press("Send a link to verify the address");
  await view.read("The link has been sent to iris@example.org.", "dialog.drawer .status");
});

scene("mailed links do not prevent setting a password", { site: mailing, email: root }, async (view) => {
  await view.press("New user");
  await view.choose("dialog select[name=access]", "");
  await view.type("dialog input[name=name]", "Noa Gil");
  await view.type("dialog input[name=email]", "noa@example.org");
  await view.press("Create user");
  await view.read("Enter a password.", "dialog");
  await view.type("dialog input[name=password]", password);
  await view.press("Create user");
  await view.read("Noa Gil has been created.");
});

scene("a superAdmin creates a user, who can sign in", { email: root }, async (view) => {
  await view.press("New user");
  await view.press("Create user");
  assert.equal((await view.text("dialog .wrong")).trim().split("\n").length, 3);
  await view.focusOn("name");
  await view.type("dialog input[name=name]", "Carla Cruz");
  await view.type("dialog input[name=email]", "no address");
  await view.type("dialog input[name=password]", "short");
  await view.press("Create user");
  await view.read("Enter a valid email address.", "dialog");
  await view.read("Enter 8 to 128 characters.", "dialog");
  await view.check("a new user with errors");
  await view.type("dialog input[name=email]", root);
  await view.type("dialog input[name=password]", password);
  await view.choose("dialog select[name=role]", "admin");
  await view.press("Create user");
  await view.press("Give the role");
  await view.read("Another user has this email.", "dialog .field:has(input[name=email]) .wrong");
  await view.type("dialog input[name=email]", "carla@example.org");
  await view.press("Create user");
  await view.read("Give Carla Cruz the role “Admin”?", "dialog:not(.drawer) h2");
  await view.check("the confirmation of a role");
  await view.press("Give the role");
  await view.read("Carla Cruz has been created.");
  await view.waitUntilHidden("dialog");
  assert.equal((await site.userAt("carla@example.org")).role, "admin");
  await view.read("Carla Cruz", "tbody");
  await view.press("Sign out");
  await view.signIn("carla@example.org");
  await view.read("Carla Cruz", "header.bar");
});

scene("a superAdmin edits name, address and role", { email: root }, async (view) => {
  await view.openUser("jonas.weber@example.org");
  await view.press("Save changes");
  await view.read("Nothing has changed.", "dialog .status");
  await view.type("dialog input[name=name]", "Jonas M. Weber");
  await view.type("dialog input[name=email]", "jonas@example.org");
  await makeAdmin(view);
  await view.read("Jonas M. Weber", "dialog h2");
  const { name, email, role } = await site.user("user-2");
  assert.deepEqual({ name, email, role }, { name: "Jonas M. Weber", email: "jonas@example.org", role: "admin" });
  // Save again, with the current tag of the row.
  await view.choose("dialog select[name=role]", "user");
  await view.press("Save changes");
  await view.waitUntilIdle();
  assert.equal((await site.user("user-2")).role, "user");
  site.httpd.log.expect("UA0106: the database reported an error: UNIQUE");
  await view.type("dialog input[name=email]", root);
  await view.press("Save changes");
  await view.read("Another user has this email.", "dialog .field:has(input[name=email]) .wrong");
  assert.equal(await view.page.evaluate(() => document.activeElement.name), "email");
});

for (const [language, save, text] of [
  ["en", "Save changes", "The user could not be changed. Perhaps another user has this email."],
  ["es", "Guardar cambios", "No se ha podido cambiar el usuario. Quizá otro usuario tenga este correo."],
])
  scene(`an admin learns in ${language} why an address may be rejected`, { email: admin, languages: [language] }, async (view) => {
    site.httpd.log.expect("UA0106: the database reported an error: UNIQUE");
    await view.openUser("barbara.liskov@example.org");
    await view.type("dialog input[name=email]", root);
    await view.press(save);
    await view.read(text, "dialog form [role=alert]");
  });

scene("assigning a role with more permissions requires a confirmation", { email: root }, async (view) => {
  await view.openUser("adele.goldberg@example.org");
  await view.choose("dialog select[name=role]", "superAdmin");
  await view.press("Save changes");
  await view.read("Give Adele Goldberg the role “Super admin”?", "dialog:not(.drawer)");
  await view.press("Cancel");
  await view.waitUntilHidden("dialog:not(.drawer)");
  await view.waitUntilIdle();
  assert.equal((await site.user("user-15")).role, "user");
  await view.press("Save changes");
  await view.press("Give the role");
  await view.read("Saved.", "dialog .status");
  assert.equal((await site.user("user-15")).role, "superAdmin");
  // A role with fewer privileges needs no confirmation.
  await view.choose("dialog select[name=role]", "user");
  await view.press("Save changes");
  await view.waitUntilIdle();
  assert.equal((await site.user("user-15")).role, "user");
});

scene("saving a user whom somebody changed keeps the edits", { email: root }, async (view) => {
  await view.openUser("edsger.dijkstra@example.org");
  await view.type("dialog input[name=name]", "Edsger W. Dijkstra");
  await view.ask("PUT", "/api/users/user-6", { email: "ewd@example.org" });
  await view.press("Save changes");
  await view.read("Somebody has changed this user in the meantime", "dialog [role=alert]");
  await view.check("a conflict");
  await view.focusOn("Reload and keep my edits");
  await view.takeScreenshot("conflict");
  assert.equal((await site.user("user-6")).name, "Edsger Dijkstra");
  await view.press("Reload and keep my edits");
  await view.read("Email is now “ewd@example.org”.", "dialog .status");
  assert.equal(await view.valueOf("name"), "Edsger W. Dijkstra");
  assert.equal(await view.valueOf("email"), "ewd@example.org");
  await view.save();
  const { name, email } = await site.user("user-6");
  assert.deepEqual({ name, email }, { name: "Edsger W. Dijkstra", email: "ewd@example.org" });
});

scene("an error removes the message of an earlier success", { site: mailing, email: root }, async (view) => {
  const id = await make(view, "Ersilia", "ersilia@example.org");
  await view.openUser("ersilia@example.org");
  await view.type("dialog input[name=name]", "Ersilia II");
  await view.save();
  await view.ask("PUT", `/api/users/${id}`, { name: "Ersilia III" });
  await view.press("Send a link to set a password");
  await view.read("Somebody has changed this user in the meantime", "dialog .notice");
  assert.equal(await view.text("dialog .status"), "");
  // There are no edits to restore.
  await view.press("Reload and keep my edits");
  await view.read("Name is now “Ersilia III”.", "dialog .status");
  assert.equal(await view.text("dialog .status"), "Name is now “Ersilia III”.");
  await view.ask("DELETE", `/api/users/${id}`);
});

/** Gives the open user the admin role, and saves all edits. */
const makeAdmin = async (view) => {
  await view.choose("dialog select[name=role]", "admin");
  await view.press("Save changes");
  await view.press("Give the role");
  await view.read("Saved.", "dialog .status");
};

scene("values that were not edited are not saved", { email: root }, async (view) => {
  const made = await view.ask("POST", "/api/users", { name: "Blank\nLine ", email: " blank@example.org ", password: "12345678", role: "user" });
  await view.openUser("blank@example.org");
  await view.press("Save changes");
  await view.read("Nothing has changed.", "dialog .status");
  await makeAdmin(view);
  const { name, email, role } = await site.user(made.data.id);
  assert.deepEqual({ name, email, role }, { name: "Blank\nLine ", email: " blank@example.org ", role: "admin" });
  await view.deleteUser("blank@example.org");
  await view.read("has been deleted.");
  assert.equal(await site.user(made.data.id), undefined);
});

scene("text typed during a save is kept", { email: root }, async (view) => {
  const id = await make(view, "Slow Line", "slow@example.org");
  await view.openUser("slow@example.org");
  const release = await view.hold((request) => request.method() === "PUT");
  await view.type("dialog input[name=name]", " Slower Line ");
  await view.press("Save changes");
  await view.page.waitForFunction(() => document.querySelector("dialog form button[aria-busy=true]"));
  await view.type("dialog input[name=email]", "slower@example.org");
  await release();
  await view.read("Saved.", "dialog .status");
  await view.waitUntilIdle();
  const inputValues = () => view.page.$$eval("dialog form input", (all) => all.map((each) => each.value));
  assert.deepEqual(await inputValues(), ["Slower Line", "slower@example.org"]);
  assert.equal((await site.user(id)).email, "slow@example.org");
  await view.press("Save changes");
  await view.read("slower@example.org", "dialog .facts");
  const { name, email } = await site.user(id);
  assert.deepEqual({ name, email }, { name: "Slower Line", email: "slower@example.org" });
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("one's own change is not reported as somebody else's if the user could not be read after it", { email: root }, async (view) => {
  const id = await make(view, "Rhea Load", "rhea@example.org");
  await view.openUser("rhea@example.org");
  let isBusy = true;
  await view.intercept((request) => isBusy && request.method() === "GET" && request.url().includes(`/${id}`) && { status: 503, body: "{}" });
  for (const name of ["Rhea II", "Rhea III"]) {
    await view.type("dialog input[name=name]", name);
    await view.save();
    await view.read("The service is busy.", "dialog.drawer > .top .notice");
    await view.waitUntilIdle();
    assert.equal((await site.user(id)).name, name);
  }
  await view.press("Ban");
  await view.press("Ban");
  await view.read("is banned.", "dialog.drawer .status");
  isBusy = false;
  await view.waitUntilIdle();
  await view.type("dialog input[name=name]", "Rhea IV");
  await view.save();
  assert.equal((await site.user(id)).name, "Rhea IV");
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("a user who failed to load can be loaded again", { email: root }, async (view) => {
  await view.searchFor("frances.allen@example.org");
  let isBusy = true;
  await view.intercept((request) => isBusy && request.url().endsWith("/user-11") && { status: 503, body: "{}" });
  await view.click("tbody .person button");
  await view.read("The service is busy.", "dialog.drawer");
  await view.check("a user who failed to load");
  await view.press("Reload");
  await view.waitUntilIdle();
  await view.read("The service is busy.", "dialog.drawer");
  isBusy = false;
  await view.press("Reload");
  await view.see("dialog.drawer .facts dd");
  assert.ok(!(await view.text("dialog.drawer")).includes("busy"));
  await view.focusOn("Frances Allen");
});

scene("an entity tag that a proxy made weak is still accepted", { email: root }, async (view) => {
  await view.page.evaluate(() => {
    const own = window.fetch;
    window.fetch = async (url, options) => {
      const response = await own(url, options);
      const headers = new Headers(response.headers);
      if (headers.has("ETag")) headers.set("ETag", `W/${headers.get("ETag")}`);
      return new Response(response.body, { status: response.status, headers });
    };
  });
  await view.openUser("frances.allen@example.org");
  await view.type("dialog input[name=name]", "Frances E. Allen");
  await view.save();
  assert.equal((await site.user("user-11")).name, "Frances E. Allen");
});

scene("a user deleted by somebody else disappears from the list", { email: root }, async (view) => {
  const createAndFind = async () => {
    const id = await make(view, "Gone Elsewhere", "gone@example.org");
    await view.searchFor("gone@");
    await view.expectNames("Gone Elsewhere");
    return id;
  };
  const remove = (id) => view.ask("DELETE", `/api/users/${id}`);
  await remove(await createAndFind());
  await view.click("tbody .person button");
  await view.read("This no longer exists.", "dialog.drawer");
  await view.expectNames();
  await view.closeDialog();

  const id = await createAndFind();
  await view.openFirst();
  await remove(id);
  await view.type("dialog input[name=name]", "Gone Again");
  await view.press("Save changes");
  await view.read("This no longer exists.", "dialog.drawer");
  await view.expectNames();
});

scene("a user without an address can be edited and deleted", { email: root }, async (view) => {
  for (const [name, email] of [["No Mail", "\u200b"], ["Odd Mail", "odd mail"]]) {
    const id = await make(view, name, email);
    await view.searchFor(name);
    await view.openFirst();
    await view.type("dialog input[name=name]", `${name} II`);
    await makeAdmin(view);
    assert.deepEqual([(await site.user(id)).name, (await site.user(id)).email], [`${name} II`, email]);
    // Input is validated.
    await view.type("dialog input[name=email]", "no address");
    await view.press("Save changes");
    await view.read("Enter a valid email address.", "dialog");
    await view.press("Delete user");
    await view.check(`${name}, about to be deleted`);
    await view.press("Delete user");
    await view.read("Enter a value.", "dialog:not(.drawer)");
    await view.type("dialog input[name=address]", "x");
    await view.press("Delete user");
    await view.read("This does not match.", "dialog:not(.drawer)");
    await view.type("dialog input[name=address]", email === "odd mail" ? email : id);
    await view.press("Delete user");
    await view.read("has been deleted.");
    await view.waitUntilHidden("dialog");
    assert.equal(await site.user(id), undefined);
  }
});

scene("the protected address is case-sensitive", { email: root }, async (view) => {
  const id = await make(view, "Jefe", "Admin@Example.com");
  await view.searchFor("jefe");
  await view.openFirst();
  assert.ok(!(await view.text("dialog")).includes("Cannot be deleted"));
  await view.deleteUser("Admin@Example.com");
  await view.read("Jefe has been deleted.");
  assert.equal(await site.user(id), undefined);
});

scene("on a standby the page is read-only", { email: root }, async (view) => {
  await view.respondAsStandby();
  await view.searchFor("dennis.ritchie");
  await view.read("This is a read-only copy of the database. Its last change was made on 27 Nov 2026", ".notice.warn");
  await view.openFirst();
  await view.waitUntilIdle();
  assert.deepEqual(await view.page.$$eval("table input", (all) => all.filter((each) => each.checkVisibility()).map((each) => each.ariaLabel)), []);
  assert.deepEqual(await view.page.$$eval("main button.main, dialog.drawer form, dialog.drawer .actions button", (all) => all.filter((each) => each.checkVisibility()).map((each) => each.textContent)), []);
  await view.check("a user on a standby");
});

scene("a double click on a button sends one request", { email: root }, async (view) => {
  await view.openUser("alan.turing@example.org");
  const doubleClick = async (name) => (await view.button(name)).evaluate((button) => [button, button].forEach((each) => each.click()));
  await doubleClick("Lift the ban");
  await view.read("The ban has been lifted.", "dialog.drawer .status");
  await view.waitUntilIdle();
  assert.equal((await view.text("dialog [role=alert]")).trim(), "");
  await view.ask("PUT", "/api/users/user-4", { banned: true, banReason: "spam" });
  await view.key("Escape");
  await doubleClick("Sign out");
  await view.read("You have signed out.");
  await view.waitUntilIdle();
  assert.match(await view.text(), /You have signed out\./);
});

scene("a superAdmin deletes by typing the address", { email: root }, async (view) => {
  await view.openUser("ken.thompson@example.org");
  await view.deleteUser("ken@example.org");
  await view.read("This does not match.", "dialog");
  await view.check("the delete dialog");
  await view.takeScreenshot("delete");
  assert.ok(await site.user("user-10"));
  await view.type("dialog input[name=address]", "ken.thompson@example.org");
  await view.press("Delete user");
  await view.read("Ken Thompson has been deleted.");
  await view.waitUntilHidden("dialog");
  assert.equal(await site.user("user-10"), undefined);
  await view.read("No users match.");
  await view.waitUntilIdle();
  assert.equal(await view.page.evaluate(() => document.activeElement.type), "search");
});

scene("callers cannot delete or ban themselves", { email: root }, async (view) => {
  await view.openUser(root);
  assert.equal(await view.button("Delete user"), null);
  assert.equal(await view.button("Ban"), null);
  await view.read("You would lose the rights of your current role.", "dialog");
  await view.key("Escape");
  await view.openUser("admin@example.com");
  assert.equal(await view.button("Delete user"), null);
  assert.ok(await view.button("Ban"));
});

for (const isBack of [false, true])
  scene(`a deletion is reported even if the panel was closed ${isBack ? "with Back " : ""}before the response`, { email: root }, async (view) => {
    const id = await make(view, "Slowly Gone", "slow@example.org");
    await view.openUser("slow@example.org");
    const release = await view.hold((request) => request.method() === "DELETE");
    await view.deleteUser("slow@example.org");
    await view.see("dialog button[aria-busy=true]");
    if (isBack) await view.page.evaluate(() => history.back());
    else await view.key("Escape", "Escape");
    await view.waitUntilHidden("dialog");
    // Another user's panel stays open.
    if (isBack) {
      await view.type("input[type=search]", "tony");
      await view.expectNames("Tony Hoare");
      await view.openFirst();
    }
    await release();
    await view.read("Slowly Gone has been deleted.", isBack ? "dialog.drawer .status" : ".toast");
    await view.waitUntilIdle();
    assert.equal(await view.has("dialog"), isBack);
    if (!isBack) await view.expectNames();
    assert.equal(await site.user(id), undefined);
  });

scene("changing one's own address requires confirmation if sessions end", { site: ending, email: root }, async (view) => {
  await view.openUser(root);
  await view.type("dialog input[name=name]", "Ada King");
  await view.save();
  await view.type("dialog input[name=email]", "ada.king@example.com");
  await view.press("Save changes");
  await view.read("End one of your own sessions?", "dialog:not(.drawer)");
  await view.press("Cancel");
  await view.waitUntilHidden("dialog:not(.drawer)");
  await view.waitUntilIdle();
  assert.equal((await ending.user("root-1")).email, root);
  await view.press("Save changes");
  await view.press("End session");
  await view.read("Your session has ended. Sign in again.");
  assert.equal((await ending.user("root-1")).email, "ada.king@example.com");
});

scene("no focused input is covered in a small panel", { email: root, width: 320, height: 256 }, async (view) => {
  const id = await make(view, "Magnified", "magnified@example.org");
  await view.openUser("magnified@example.org");
  await view.type("dialog input[name=name]", "Magnified II");
  await view.ask("PUT", `/api/users/${id}`, { name: "Magnified III" });
  await view.press("Save changes");
  await view.focusOn("Reload and keep my edits");
  await view.check("a conflict in a small window");
  const covered = await view.page.$$eval("dialog form :is(input, select)", (inputs) => inputs.filter((input) => {
    input.focus();
    const { left, right, top, bottom } = input.getBoundingClientRect();
    return document.elementFromPoint((left + right) / 2, (top + bottom) / 2) !== input;
  }).map(({ name }) => name));
  assert.deepEqual(covered, []);
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("a printed user is not cut off after a page", { email: root, height: 480 }, async (view) => {
  await view.openUser("emmy.noether@example.org");
  await view.page.emulateMediaType("print");
  const [inner, outer, position, isListed] = await view.page.$eval("dialog", (drawer) => [
    drawer.scrollHeight, drawer.clientHeight, getComputedStyle(drawer).position, document.querySelector("main").checkVisibility(),
  ]);
  assert.ok(inner > 480 && outer === inner, `${outer} of ${inner} px are printed`);
  assert.equal(position, "absolute");
  assert.equal(isListed, false);
});
