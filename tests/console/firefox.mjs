// Tests the console in Firefox.
import assert from "node:assert/strict";

import { root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site({ directives: "UserAdminExtras On" });
const scene = scenesOf(site);

for (const [width, languages, saveChanges, saved, ban, banned, signOut, signedOut] of [
  [1280, ["en"], "Save changes", "Saved.", "Ban", "Grace Hopper-Murray is banned.", "Sign out", "You have signed out."],
  [390, ["es"], "Guardar cambios", "Guardado.", "Bloquear", "Grace Hopper-Murray está bloqueado.", "Cerrar sesión", "Has cerrado la sesión."],
])
  scene(`Firefox can change and ban a user, ${width} px wide`, { email: root, isFirefox: true, width, languages }, async (view) => {
    await view.see(".chart rect");
    await view.openUser("grace.hopper@example.org");
    await view.type("dialog input[name=name]", "Grace Hopper-Murray");
    await view.press(saveChanges);
    await view.read(saved, "dialog .status");
    await view.press(ban);
    await view.type("dialog input[name=reason]", "spam");
    await view.check("the ban dialog");
    await view.press(ban);
    await view.read(banned, "dialog.drawer .status");
    const [row] = (await site.users()).filter((each) => each.email === "grace.hopper@example.org");
    assert.deepEqual([row.name, Boolean(row.banned), row.banReason], ["Grace Hopper-Murray", true, "spam"]);
    await view.ask("PUT", `/api/users/${row.id}`, { name: "Grace Hopper", banned: false });
    await view.closeDialog();
    await view.press(signOut);
    await view.read(signedOut);
  });
