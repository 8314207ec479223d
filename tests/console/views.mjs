// Tests each view in each theme and width. check() includes axe-core's rules.
import { describe } from "node:test";
import assert from "node:assert/strict";

import { admin, agents, root, scenesOf, secret, user } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site({ directives: "UserAdminExtras On" }, async (each) => {
  for (const agent of agents) await each.openSession("mary.jackson@example.org", agent);
});
// A site that mails links.
const mailing = new Site({
  secret,
  directives:
    'UserAdminExtras On\nUserAdminMailCommand /bin/true\nUserAdminMailFrom a@example.org\nUserAdminMailPasswordLink https://a.example/{token}\nUserAdminMailVerifyLink https://a.example/{token}',
});
const scene = scenesOf(site);

const shapes = [
  ["", { width: 1280, height: 860 }],
  ["phone", { width: 320, height: 640, scale: 2 }],
  ["zoomed", { width: 640, height: 430, scale: 2 }],
];
describe("views", { concurrency: 3 }, () => {
  for (const theme of ["light", "dark"])
    for (const [shape, size] of shapes) {
      const named = (name) => [name, shape, theme === "dark" ? "dark" : ""].filter(Boolean).join("-");
      scene(`each view is laid out correctly, ${theme}, ${size.width} px wide`, { theme, ...size }, async (view) => {
        const look = async (name) => {
          await view.check(named(name));
          await view.takeScreenshot(named(name));
        };
        await look("sign-in");
        await view.signIn(root);
        await view.see(".chart svg");
        await look("superadmin");
        await view.openUser("mary.jackson@example.org");
        await view.read("Sessions 2", "dialog");
        await look("superadmin-user");
        await view.press("Set a password");
        await look("superadmin-password");
        await view.press("Cancel");
        await view.press("Ban");
        await look("superadmin-ban");
        await view.press("Cancel");
        await view.press("Delete user");
        await look("superadmin-delete");
        await view.key("Escape", "Escape");
        await view.waitUntilHidden("dialog");
        await view.searchFor("");
        await view.press("New user");
        await look("superadmin-new");
        await view.key("Escape");
        await view.searchFor("nobody is called so");
        await look("superadmin-none");
        await view.searchFor("");
        await view.press("Sign out");
        await look("signed-out");
        await view.signIn(admin);
        await look("admin");
        await view.openUser("mary.jackson@example.org");
        await look("admin-user");
        await view.closeDialog();
        await view.press("Sign out");
        await view.signIn(user);
        await look("user");
      });
    }
});

scene("Spanish buttons of links fit a narrow panel", { site: mailing, email: root, languages: ["es"], width: 320, height: 640 }, async (view) => {
  await view.openUser("grace.hopper@example.org");
  await view.check("links in a narrow panel");
  const outside = await view.page.$$eval("dialog button", (buttons) => buttons.filter((button) => {
    const { left, right } = button.getBoundingClientRect();
    return button.checkVisibility() && (left < 0 || right > innerWidth);
  }).map((button) => button.textContent));
  assert.deepEqual(outside, []);
  assert.ok(await view.button("Enviar un enlace para verificar el correo"));
});

scene("Previous and Next share a line on a phone", { email: root, height: 640 }, async (view) => {
  for (const width of [320, 360, 390, 412]) {
    await view.page.setViewport({ width, height: 640 });
    const tops = await view.page.$$eval(".foot > button:not(.quiet)", (buttons) => buttons.map((button) => button.getBoundingClientRect().top));
    assert.deepEqual(tops, [tops[0], tops[0]], `${width} px`);
  }
});
