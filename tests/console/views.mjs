// Tests each view in each theme and width. check() includes axe-core's rules.
import { describe } from "node:test";

import { admin, agents, root, scenesOf, user } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site({ directives: "UserAdminExtras On" }, async (each) => {
  for (const agent of agents) await each.openSession("mary.jackson@example.org", agent);
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
