// Tests sessions, passwords, sign-in methods and the history of a user.
import { describe } from "node:test";
import assert from "node:assert/strict";

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { View } from "./support/browser.mjs";
import { admin, agents, make, root, scenesOf } from "./support/scene.mjs";
import { password, Site } from "./support/site.mjs";

const site = new Site();
const extras = new Site({ directives: "UserAdminExtras On", hasAuditLog: true }, (each) => each.addSecondFactor("user-27"));
const unaudited = new Site({ directives: "UserAdminExtras On" });
const scene = scenesOf(site);

scene("without UserAdminExtras the console offers neither sessions nor passwords", { email: root }, async (view) => {
  await view.openUser("marta.nunez@example.org");
  assert.equal(await view.button("Set a password"), null);
  assert.ok(!(await view.text("dialog")).includes("Sessions"));
  await view.press("Ban");
  assert.equal(await view.has("dialog select[name=until]"), false);
});

describe("with UserAdminExtras", () => {
  const there = { site: extras };

  scene("a superAdmin sets a password, which ends all sessions", { ...there, email: root }, async (view) => {
    await extras.ctl(["session", "open", "mary.jackson@example.org"]);
    await view.openUser("mary.jackson@example.org");
    await view.read("Sessions 1", "dialog");
    await view.press("Set a password");
    await view.type("dialog input[name=password]", "short");
    await view.press("Set a password");
    await view.read("Enter 8 to 128 characters.", "dialog");
    await view.press("Generate");
    await view.check("the password dialog");
    await view.takeScreenshot("password");
    const hidden = await view.page.$eval("dialog input[name=password]", ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    assert.ok(hidden <= 0, `${hidden} px of the password are hidden`);
    const made = await view.valueOf("password");
    assert.match(made, /^([a-zA-Z2-9]{5}-){3}[a-zA-Z2-9]{5}$/);
    await view.press("Set a password");
    await view.read("The password has been set.", "dialog.drawer .status");
    await view.focusOn("Set a password");
    await view.read("No open sessions.", "dialog");
    await view.key("Escape");
    await view.press("Sign out");
    await view.signIn("mary.jackson@example.org", made);
    await view.read("Mary Jackson", "header.bar");
  });

  scene("a superAdmin ends one session, then all sessions", { ...there, email: root }, async (view) => {
    for (let count = 0; count < 3; ++count) await extras.ctl(["session", "open", "zhang.wei@example.org"]);
    await view.openUser("zhang.wei@example.org");
    await view.read("Sessions 3", "dialog");
    await view.check("sessions");
    await view.takeScreenshot("sessions");
    assert.equal((await view.page.$$(".sessions li")).length, 3);
    await view.click(".sessions li button");
    await view.read("The session has ended.", "dialog .status");
    await view.read("Sessions 2", "dialog");
    await view.press("End all");
    await view.read("All sessions have ended.", "dialog .status");
    await view.read("No open sessions.", "dialog");
    assert.equal((await extras.ctl(["session", "list", "zhang.wei@example.org"])).includes("20"), false);
  });

  scene("sessions that failed to load can be loaded again", { ...there, email: root }, async (view) => {
    let isBusy = true;
    await view.intercept((request) => isBusy && request.url().endsWith("/sessions") && { status: 503, body: "{}" });
    await view.openUser("yuki.tanaka@example.org");
    await view.read("The service is busy.", "dialog section [role=alert]");
    await view.read("Sign-in methods", "dialog");
    await view.check("sessions that failed to load");
    isBusy = false;
    await view.press("Reload");
    await view.read("No open sessions.", "dialog");
    await view.focusOn("Sessions 0");
    assert.ok(!(await view.text("dialog")).includes("busy"));
  });

  scene("ending the last session shows a visible message", { ...there, email: root, width: 1280, height: 720 }, async (view) => {
    for (let count = 0; count < 6; ++count) await extras.ctl(["session", "open", "pawe.nowak@example.org"]);
    await view.openUser("pawe.nowak@example.org");
    await view.read("Sessions 6", "dialog");
    for (let left = 6; left > 0; --left) {
      const ends = await view.page.$$(".sessions li button");
      assert.equal(ends.length, left);
      await ends.at(-1).click();
      await view.read(left > 1 ? `Sessions ${left - 1}` : "No open sessions.", "dialog");
      await view.readVisible("The session has ended.", "dialog .status");
    }
  });

  scene("only ending one's own session requires a confirmation", { ...there, email: root }, async (view) => {
    await extras.openSession(root, agents[0]);
    await view.openUser(root);
    await view.see(".sessions li .pill");
    const sessionLabels = () => view.page.$$eval(".sessions li", (all) => all.map((each) => each.querySelector(".pill")?.textContent ?? each.querySelector("span").textContent));
    const labels = await sessionLabels();
    assert.equal(labels.filter((each) => each === "this session").length, 1);
    assert.equal(labels[0], "Firefox on Linux");
    await view.check("the caller's own sessions");
    for (const end of [() => view.click(".sessions li:has(.pill) button"), () => view.press("End all")]) {
      await end();
      await view.read("End one of your own sessions?", "dialog:not(.drawer)");
      await view.press("Cancel");
      await view.waitUntilHidden("dialog:not(.drawer)");
    }
    await view.waitUntilIdle();
    assert.deepEqual(await sessionLabels(), labels);
    await view.click(".sessions li:first-child button");
    await view.read("The session has ended.", "dialog .status");
    await view.click(".sessions li:has(.pill) button");
    await view.read("End one of your own sessions?", "dialog:not(.drawer)");
    await view.press("End session");
    await view.read("Your session has ended. Sign in again.");
  });

  scene("sessions name the browsers of phones", { ...there, email: root }, async (view) => {
    const id = await make(view, "Paula Phone", "phone@example.org");
    const [ios, android] = ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)", "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)"];
    const names = {
      "Chrome on iOS": `${ios} CriOS/140.0 Mobile/15E148 Safari/604.1`,
      "Edge on Android": `${android} Chrome/140.0 Mobile Safari/537.36 EdgA/140.0`,
      "Edge on iOS": `${ios} Version/18.0 EdgiOS/140.0 Mobile/15E148 Safari/604.1`,
      "Firefox on iOS": `${ios} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`,
    };
    for (const agent of Object.values(names)) await extras.sql(`INSERT INTO session (id, token, "userId", "expiresAt", "createdAt", "updatedAt", "userAgent") VALUES ('${agent}', '${agent}', '${id}', '9000-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '${agent}')`);
    await view.openUser("phone@example.org");
    const shown = await view.page.$$eval(".sessions li span:first-child", (all) => all.map((each) => each.textContent));
    assert.deepEqual(shown.sort(), Object.keys(names));
    await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("a ban ends at the chosen time", { ...there, email: root }, async (view) => {
    await view.openUser("john.backus@example.org");
    await view.press("Ban");
    await view.type("dialog input[name=reason]", "a week off");
    await view.choose("dialog select[name=until]", "date");
    await view.press("Ban");
    await view.read("Enter a date and time.", "dialog");
    await view.page.$eval("dialog input[name=date]", (input) => (input.value = "2020-01-01T10:00"));
    await view.press("Ban");
    await view.read("This time is in the past.", "dialog");
    await view.check("the ban dialog with an end");
    for (const year of ["10000", "275760"]) {
      await view.page.$eval("dialog input[name=date]", (input, time) => (input.value = time), `${year}-01-02T10:00`);
      await view.press("Ban");
      await view.read("The year must be 9999 or earlier.", "dialog");
    }
    await view.choose("dialog select[name=until]", "7");
    await view.press("Ban");
    await view.read("John Backus is banned.", "dialog.drawer .status");
    const { banned, banReason, banExpires } = await extras.user("user-18");
    assert.deepEqual({ banned, banReason }, { banned: true, banReason: "a week off" });
    assert.ok(Math.abs(new Date(banExpires) - Date.now() - 7 * 86400000) < 60000, banExpires);
    await view.read("Banned until", "dialog.drawer .facts");
    await view.press("Lift the ban");
    await view.read("The ban has been lifted.", "dialog.drawer .status");
    assert.equal((await extras.user("user-18")).banned, false);
  });

  scene("the count and the filter mention expired bans", { ...there, email: root }, async (view) => {
    const update = `UPDATE "user" SET "banned" = TRUE, "banExpires" = '2020-01-01T00:00:00.000Z' WHERE "id" = 'user-16'`;
    await extras.sql(update);
    await view.searchFor("niklaus.wirth");
    await view.read("Ban expired", "tbody");
    await view.page.reload();
    await view.read("banned, including expired bans", ".counts");
    await view.click(".counts button:first-child");
    await view.waitUntilIdle();
    assert.ok((await view.names()).includes("Niklaus Wirth"));
    const chosen = () => view.page.$$eval(".tools select", (all) => all.map((each) => each.selectedOptions[0].textContent));
    assert.ok((await chosen()).includes("Banned, or ban expired"));
  });

  scene("a superAdmin sees a user's sign-in methods, and removes one", { ...there, email: root }, async (view) => {
    await make(view, "Mia Keys", "mia@example.org");
    await extras.sql(`INSERT INTO account (id, "accountId", "providerId", "userId", "createdAt", "updatedAt") SELECT 'mia-google', '1', 'google', id, '2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.000Z' FROM user WHERE email = 'mia@example.org'`);
    await view.openUser("mia@example.org");
    assert.ok(!view.requests.some((each) => each.includes("/sign-in-methods")));
    await view.click("details:first-of-type summary");
    await view.read("Account: google", "details");
    await view.read("Password", "details");
    await view.read("since 2 Jan 2026", "details");
    await view.check("the sign-in methods");
    await view.press("Remove Account: google");
    await view.read("Remove “Account: google” of Mia Keys?", "dialog h2:last-of-type");
    await view.check("removing a sign-in method");
    await view.press("Remove");
    await view.read("The sign-in method has been removed.", "dialog .status");
    assert.ok(!(await view.text("details")).includes("google"));
    await view.press("Remove Password");
    await view.press("Remove");
    await view.read("This user cannot sign in.", "details");
    await view.focusOn("Sign-in methods");
  });

  scene("a superAdmin reads the history of a user", { ...there, email: root }, async (view) => {
    const id = await make(view, "Vera Stone", "vera@example.org");
    await view.ask("PUT", `/api/users/${id}`, { name: "Vera Rock", role: "admin" });
    const picture = join(extras.folder, "vera.ndjson");
    writeFileSync(picture, JSON.stringify({ email: "vera@example.org", name: "Vera Rock", image: "https://example.org/vera.png" }));
    await extras.ctl(["import", picture, "--on-conflict", "update", "--audit-log", join(extras.folder, "audit.log")]);
    const last = `${"Reported by customers. ".repeat(20)}See ticket 1.`;
    for (let count = 0; count < 20; ++count) await view.ask("PUT", `/api/users/${id}/ban`, { reason: count < 19 ? `reason ${count}` : last });
    await extras.ctl(["unban", "--audit-log", join(extras.folder, "audit.log"), "vera@example.org"]);
    await view.openUser("vera@example.org");
    assert.ok(!view.requests.some((each) => each.includes("/events")));
    await view.click("details:last-of-type summary");
    await view.read("Ban lifted", ".events li:first-child");
    await view.read("(useradminctl)", ".events li:first-child");
    await view.read("Banned: Yes → No", ".events li:first-child");
    await view.read("by you", ".events li:nth-child(2)");
    await view.read(`Reason: reason 18 → ${last}`, ".events li:nth-child(2)");
    await view.check("the history");
    assert.equal((await view.page.$$(".events li")).length, 20);
    await view.press("Show earlier");
    await view.read("Created", ".events li:last-child");
    await view.read("Name: Vera Stone → Vera Rock", ".events");
    await view.read("Role: User → Admin", ".events");
    await view.read("Picture: – → https://example.org/vera.png", ".events");
    assert.equal((await view.page.$$(".events li")).length, 24);
    assert.equal(await view.button("Show earlier"), null);
    assert.ok(await view.page.evaluate(() => document.activeElement.matches(".events li:nth-child(21)")));
    // An open history shows the change.
    await view.press("Ban");
    await view.press("Ban");
    await view.read("Banned: No → Yes", ".events li:first-child");
  });

  scene("a history names the callers, and lists rejected requests", { ...there, email: root }, async (view) => {
    const id = await make(view, "Walt Frost", "walt@example.org");
    const asOlivia = await View.open(extras, { email: admin });
    await asOlivia.ask("PUT", `/api/users/${id}`, { name: "Walt Snow" });
    assert.equal((await asOlivia.ask("DELETE", `/api/users/${id}`)).success, false);
    await asOlivia.openUser("walt@example.org");
    assert.equal(await asOlivia.has("details"), false);
    await asOlivia.close();
    await view.openUser("walt@example.org");
    await view.click("details:last-of-type summary");
    await view.read("Deleted refused", ".events li:first-child");
    await view.read("by Olivia Ortiz", ".events li:nth-child(2)");
  });

  scene("without an audit log no history is offered", { site: unaudited, email: root }, async (view) => {
    await view.openUser("mary.jackson@example.org");
    await view.read("Sign-in methods", "dialog");
    assert.ok(!(await view.text("dialog")).includes("History"));
  });

  scene("of two responses with sessions, the later one is shown", { ...there, email: root }, async (view) => {
    await extras.ctl(["session", "open", "hedy.lamarr@example.org"]);
    const release = await view.hold((request) => request.url().endsWith("/sessions"));
    await view.searchFor("hedy");
    await view.openFirst();
    await view.press("Set a password");
    await view.press("Generate");
    await view.press("Set a password");
    await view.read("No open sessions.", "dialog");
    await release({ body: JSON.stringify({ success: true, data: [{ id: "gone", createdAt: null, userAgent: agents[0], ipAddress: null }] }) });
    await view.waitUntilIdle();
    await view.read("No open sessions.", "dialog");
  });

  scene("resetting a second factor ends the sessions", { ...there, email: root }, async (view) => {
    await extras.ctl(["session", "open", "ingrid.bergstrom@example.org"]);
    await view.openUser("ingrid.bergstrom@example.org");
    await view.read("Sessions 1", "dialog");
    await view.press("Reset second factor");
    await view.check("the dialog for a second factor");
    await view.press("Cancel");
    await view.waitUntilHidden("dialog:not(.drawer)");
    await view.press("Reset second factor");
    await view.press("Reset second factor");
    await view.read("The second factor has been removed.", "dialog.drawer .status");
    await view.read("No open sessions.", "dialog");
    await view.press("Reset second factor");
    await view.press("Reset second factor");
    await view.read("This user has no second factor.", "dialog:not(.drawer) [role=alert]");
  });

  scene("an admin sees none of these features", { ...there, email: admin }, async (view) => {
    await view.openUser("marta.nunez@example.org");
    for (const name of ["Ban", "Set a password", "Reset second factor", "Delete user"]) assert.equal(await view.button(name), null, name);
    assert.ok(!(await view.text("dialog")).includes("Sessions"));
    assert.ok(!view.requests.some((each) => each.includes("/sessions")));
  });

  scene("a rejected change of a changed user can be repeated", { ...there, email: root }, async (view) => {
    await view.openUser("yuki.tanaka@example.org");
    await view.press("Ban");
    await view.ask("PUT", "/api/users/user-25", { name: "Yuki T." });
    await view.press("Ban");
    await view.read("Somebody has changed this user in the meantime", "dialog:not(.drawer) [role=alert]");
    assert.equal((await extras.user("user-25")).banned, false);
    // The user is reloaded, and the caller can continue.
    await view.key("Escape");
    await view.waitUntilHidden("dialog:not(.drawer)");
    await view.focusOn("Yuki T.");
    await view.read("Yuki T.", "dialog.drawer h2");
    for (const [name, field, text] of [["Set a password", "password", password], ["Delete user", "address", "yuki.tanaka@example.org"]]) {
      await view.waitUntilIdle();
      await view.press(name);
      await view.type(`dialog input[name=${field}]`, text);
      await view.ask("PUT", "/api/users/user-25", { name });
      await view.press(name);
      await view.read("Somebody has changed this user in the meantime", "dialog:not(.drawer) [role=alert]");
      await view.key("Escape");
      if (field === "password") await view.press("Discard");
      await view.waitUntilHidden("dialog:not(.drawer)");
      await view.waitUntilIdle();
      await view.press(name);
      await view.type(`dialog input[name=${field}]`, text);
      await view.press(name);
      await view.waitUntilHidden("dialog:not(.drawer)");
    }
    await view.waitUntilHidden("dialog");
    assert.equal(await extras.user("user-25"), undefined);
  });

  scene("a change rejected with 412 can be sent again", { ...there, email: root }, async (view) => {
    const id = await make(view, "Ever Changing", "ever@example.org");
    await view.openUser("ever@example.org");
    await view.press("Ban");
    await view.type("dialog input[name=reason]", "mine");
    await view.ask("PUT", `/api/users/${id}`, { name: "Never Changing" });
    await view.ask("PUT", `/api/users/${id}/ban`, { reason: "theirs" });
    await view.press("Ban");
    await view.read("Nothing was saved. Name is now “Never Changing”.", "dialog:not(.drawer) [role=alert]");
    await view.press("Ban");
    await view.read("is banned.", "dialog.drawer .status");
    assert.equal((await extras.user(id)).banReason, "mine");
    await view.press("Undo");
    await view.read("theirs", "dialog.drawer .facts");
    assert.equal((await extras.user(id)).banReason, "theirs");
    await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("ending a session keeps the ETag of the edits", { ...there, email: root }, async (view) => {
    const id = await make(view, "Ella End", "ella@example.org");
    for (let count = 0; count < 2; ++count) await extras.ctl(["session", "open", "ella@example.org"]);
    await view.openUser("ella@example.org");
    await view.type("dialog input[name=name]", "Ella II");
    await view.click(".sessions li button");
    await view.read("Sessions 1", "dialog");
    await view.save();
    await view.type("dialog input[name=name]", "Ella III");
    await view.ask("PUT", `/api/users/${id}`, { name: "Ella IV" });
    await view.click(".sessions li button");
    await view.read("No open sessions.", "dialog");
    await view.press("Save changes");
    await view.read("Somebody has changed this user in the meantime", "dialog [role=alert]");
    await view.press("Reload and keep my edits");
    await view.read("Name is now “Ella IV”.", "dialog .status");
    await view.save();
    assert.equal((await extras.user(id)).name, "Ella III");
    await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("setting one's own password is reported after the sign-out", { ...there, email: root }, async (view) => {
    const id = await make(view, "Pia Pass", "pia@example.org");
    await view.ask("PUT", `/api/users/${id}`, { role: "superAdmin" });
    await view.press("Sign out");
    await view.signIn("pia@example.org", "12345678");
    await view.openUser("pia@example.org");
    await view.press("Set a password");
    await view.press("Generate");
    await view.press("Set a password");
    await view.read("Your session has ended. Sign in again.");
    await view.read("The password has been set.", ".toast");
    await extras.ctl(["delete", "--yes", "pia@example.org"]);
  });

  scene("on a standby the history keeps the page read-only", { ...there, email: root }, async (view) => {
    const id = await make(view, "Stan By", "stan@example.org");
    await view.respondAsStandby();
    await view.openUser("stan@example.org");
    await view.click("details:last-of-type summary");
    await view.read("Created", ".events li:first-child");
    assert.match(await view.text("main > .notice"), /read-only copy/);
    assert.equal(await view.page.$eval("main button.main", (button) => button.checkVisibility()), false);
    await view.page.reload();
    await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("an item removed by somebody else is no longer listed", { ...there, email: root }, async (view) => {
    const id = await make(view, "Twice Removed", "removed@example.org");
    await extras.ctl(["session", "open", "removed@example.org"]);
    await view.openUser("removed@example.org");
    await view.read("Sessions 1", "dialog");
    await view.click("details:first-of-type summary");
    await view.read("Password", "details");
    await extras.sql(`DELETE FROM session WHERE "userId" = '${id}'`);
    await view.click(".sessions li button");
    await view.read("The session has ended.", "dialog .status");
    await view.read("No open sessions.", "dialog");
    await view.waitUntilIdle();
    await extras.sql(`DELETE FROM account WHERE "userId" = '${id}'`);
    await view.press("Remove Password");
    await view.press("Remove");
    await view.read("The sign-in method has been removed.", "dialog .status");
    await view.read("This user cannot sign in.", "details");
    await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("ending sessions updates the last activity and the history", { ...there, email: root }, async (view) => {
    const id = await make(view, "Lena Last", "last@example.org");
    await extras.ctl(["session", "open", "last@example.org"]);
    await view.openUser("last@example.org");
    await view.read("Sessions 1", "dialog");
    const lastSeen = () => view.page.$eval("dialog .facts dd:last-of-type", (fact) => fact.textContent);
    assert.notEqual(await lastSeen(), "–");
    await view.click("details:last-of-type summary");
    await view.read("Created", ".events li:first-child");
    await view.press("End all");
    await view.read("All sessions have ended.", "dialog .status");
    await view.read("All sessions ended", ".events li:first-child");
    assert.equal(await lastSeen(), "–");
    await view.ask("DELETE", `/api/users/${id}`);
  });

  for (const [language, lines] of [["en", ["by Jefa Principal as you", "by you as Olivia Ortiz", "by you"]], ["es", ["por Jefa Principal como tú", "por ti como Olivia Ortiz", "por ti"]]])
    scene(`the history names the administrator who impersonated the caller, in ${language}`, { ...there, email: root, languages: [language] }, async (view) => {
      const callers = [["root-1", "jefa-1"], ["olivia-1", "root-1"], ["root-1"]];
      await view.intercept((request) => request.url().endsWith("/user-24/events") && {
        body: JSON.stringify({ success: true, earlier: null, data: callers.map(([caller, impersonatedBy]) => ({
          time: "2026-03-01T09:30:00.000Z", server: "localhost", operation: "ban", result: "done", status: 200, caller, impersonatedBy, role: "superAdmin", address: "192.0.2.7", target: "user-24",
        })) }),
      });
      await view.openUser("zhang.wei@example.org");
      await view.click("details:last-of-type summary");
      for (const [at, line] of lines.entries()) await view.read(line, `.events li:nth-child(${at + 1}) p span:nth-child(2)`);
    });

  scene("a late failure does not replace a newer response", { ...there, email: root }, async (view) => {
    await view.openUser("emmy.noether@example.org");
    const release = await view.hold((request) => request.url().includes("/sign-in-methods"));
    await view.click("details:first-of-type summary");
    await view.read("Loading …", "details:first-of-type");
    await view.click("details:first-of-type summary");
    await view.click("details:first-of-type summary");
    await view.read("Password", "details:first-of-type");
    await release({ status: 503, body: "" });
    await view.waitUntilIdle();
    assert.equal(await view.text("details:first-of-type [role=status]"), "");
  });
});
