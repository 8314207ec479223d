// Tests bans.
import assert from "node:assert/strict";

import { make, root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site();
const extras = new Site({ directives: "UserAdminExtras On" });
// A site whose application caches sessions.
const cached = new Site({ directives: "UserAdminExtras On\nUserAdminEndSessions On\nUserAdminApplicationCache 300" });
const scene = scenesOf(site);

for (const [kind, where] of [["", site], [", with UserAdminExtras", extras]])
  scene(`banning and unbanning are undone with the keyboard${kind}`, { email: root, site: where }, async (view) => {
    const id = await make(view, "Regretted", "regretted@example.org");
    await view.openUser("regretted@example.org");
    const ban = async (reason) => {
      await view.press("Ban");
      await view.type("dialog input[name=reason]", reason);
      if (kind) await view.choose("dialog select[name=until]", "7");
      else await view.check("the ban dialog");
      await view.press("Ban");
      await view.read("Regretted is banned.", "dialog.drawer .status");
      await view.focusOn("Lift the ban");
      await view.read(reason, "dialog.drawer .facts");
    };
    const undo = async () => {
      await view.tabTo("dialog .status button");
      await view.focusOn("Undo");
      await view.key("Enter");
    };
    await ban("by mistake");
    await view.check("a ban that can be undone");
    await undo();
    await view.read("The ban has been lifted.", "dialog.drawer .status");
    await view.focusOn("Ban");
    assert.equal((await where.user(id)).banned, false);
    assert.equal(await view.button("Undo"), null);
    // Undoing the end of a ban restores its reason and expiry.
    await ban("for good reason");
    const { banned, banReason, banExpires } = await where.user(id);
    await view.press("Lift the ban");
    await view.read("The ban has been lifted.", "dialog.drawer .status");
    await view.focusOn("Ban");
    await undo();
    await view.read("Regretted is banned.", "dialog.drawer .status");
    await view.focusOn("Lift the ban");
    const restored = await where.user(id);
    assert.deepEqual([restored.banned, restored.banReason, restored.banExpires], [banned, banReason, banExpires]);
    assert.deepEqual([banned, banReason, Boolean(banExpires)], [true, "for good reason", Boolean(kind)]);
    // Undo fails if somebody else has changed the user.
    await view.press("Lift the ban");
    await view.read("The ban has been lifted.", "dialog.drawer .status");
    await view.ask("PUT", `/api/users/${id}`, { name: "Regretted by another" });
    await view.press("Undo");
    await view.read("Somebody has changed this user in the meantime. Nothing was saved.", "dialog .notice");
    assert.ok(await view.button("Undo"));
    assert.equal((await where.user(id)).banned, false);
    await view.ask("DELETE", `/api/users/${id}`);
  });

scene("lifting an expired ban offers no undo", { email: root, site: extras }, async (view) => {
  const id = await make(view, "Over", "over@example.org");
  await extras.sql(`UPDATE "user" SET "banned" = TRUE, "banExpires" = '2020-01-01T00:00:00.000Z' WHERE "id" = '${id}'`);
  await view.openUser("over@example.org");
  await view.press("Lift the ban");
  await view.read("The ban has been lifted.", "dialog.drawer .status");
  assert.equal(await view.button("Undo"), null);
  await view.ask("DELETE", `/api/users/${id}`);
});

for (const [language, ban, undo, done] of [
  ["en", "Ban", "Undo", "The ban has been lifted. Sessions ended by the ban are not restored."],
  ["es", "Bloquear", "Deshacer", "Se ha levantado el bloqueo. Las sesiones que cerró el bloqueo no se restauran."],
])
  scene(`undoing a ban explains in ${language} that sessions stay ended`, { email: root, site: cached, languages: [language], width: 390, height: 640 }, async (view) => {
    await view.openUser("ingrid.bergstrom@example.org");
    await view.press(ban);
    await view.press(ban);
    await view.read(undo, "dialog.drawer .status");
    await view.press(undo);
    await view.readVisible(done, "dialog.drawer .status");
    assert.equal((await cached.userAt("ingrid.bergstrom@example.org")).banned, false);
  });

scene("a change is reported even if the next read fails", { email: root }, async (view) => {
  await view.openUser("dennis.ritchie@example.org");
  await view.press("Ban");
  let isBanned = false;
  await view.intercept((request) => {
    isBanned ||= request.method() === "PUT";
    const isRead = isBanned && request.method() === "GET" && request.url().endsWith("/user-12");
    return isRead && { status: 503, body: JSON.stringify({ success: false, error: "Servicio no disponible temporalmente" }) };
  });
  await view.press("Ban");
  await view.read("Dennis Ritchie is banned.", "dialog.drawer .status");
  await view.read("The service is busy.", "dialog.drawer [role=alert]");
  await view.page.setRequestInterception(false);
  await view.check("a ban whose user failed to load");
  await view.ask("PUT", "/api/users/user-12", { banned: false });
});

scene("a ban in the past shows the server's reason", { email: root, site: extras }, async (view) => {
  await view.openUser("donald.knuth@example.org");
  await view.page.evaluate(() => (Date.now = () => new Date("2020-01-01T00:00:00Z").getTime()));
  await view.press("Ban");
  await view.choose("dialog select[name=until]", "1");
  await view.press("Ban");
  await view.read("The ban must end in the future.", "dialog [role=alert]");
  assert.equal((await extras.userAt("donald.knuth@example.org")).banned, false);
});

scene("a ban that did not reach the storage is reported", { email: root }, async (view) => {
  await view.openUser("dennis.ritchie@example.org");
  await view.intercept((request) => request.method() === "PUT" && {
    headers: { Warning: '199 - "late"' }, body: JSON.stringify({ success: true, data: {} }),
  });
  await view.press("Ban");
  await view.press("Ban");
  await view.read("Dennis Ritchie is banned. The application still accepts", "dialog.drawer .status");
});

scene("a note says how long ended sessions may last", { email: root, site: cached }, async (view) => {
  const note = "The application may accept the user's sessions from its cache for up to 5 minutes.";
  for (let count = 0; count < 2; ++count) await cached.ctl(["session", "open", "zhang.wei@example.org"]);
  await view.openUser("zhang.wei@example.org");
  await view.click(".sessions li button");
  await view.read(`The session has ended. ${note}`, "dialog .status");
  await view.press("End all");
  await view.read(`All sessions have ended. ${note}`, "dialog .status");
  await view.press("Ban");
  await view.press("Ban");
  await view.read(`Zhang Wei is banned. ${note}`, "dialog.drawer .status");
  await view.check("a ban that the application notices later");
  await view.press("Lift the ban");
  await view.read("The ban has been lifted.", "dialog.drawer .status");
  assert.ok(!(await view.text("dialog.drawer .status")).includes("accept"));
  await view.deleteUser("zhang.wei@example.org");
  await view.read(`Zhang Wei has been deleted. ${note}`);
});

scene("a Spanish note says how long ended sessions may last", { email: root, site: cached, languages: ["es"] }, async (view) => {
  await view.openUser("maryam.mirzajani@example.org");
  await view.press("Bloquear");
  await view.press("Bloquear");
  await view.read("Maryam Mirzajaní está bloqueado. La aplicación puede aceptar las sesiones del usuario desde su caché durante 5 minutos como máximo.", "dialog.drawer .status");
});
