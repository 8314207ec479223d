// Tests that open a page of a site, and helpers that several test files share.
import { after, test } from "node:test";

import { stopBrowsers, View } from "./browser.mjs";
import { Site } from "./site.mjs";

export const root = "ada@example.com";
export const admin = "olivia@example.com";
export const user = "ulises@example.com";
export const agents = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
];
/** The application's secret. */
export const secret = "a secret of thirty-two characters";

after(async () => {
  try {
    await stopBrowsers();
  } finally {
    await Site.stopAll();
  }
});

/** Returns a function that defines a test. The test opens a page of the site, or of the one in its settings, and checks it at the end. */
export const scenesOf = (usual) => (name, settings, body) =>
  test(name, { skip: settings.isFirefox && !process.env.CONSOLE_FIREFOX ? "there is no Firefox here (Debian's package is firefox-esr)" : false }, async () => {
    const site = settings.site ?? usual;
    await site.start();
    const view = await View.open(site, settings);
    await body(view);
    await view.close();
  });

/** Creates a user through the API, not the console. Returns the id. */
export const make = async (view, name, email) =>
  (await view.ask("POST", "/api/users", { name, email, password: "12345678", role: "user" })).data.id;

/** Sets the cookie of a session opened by useradminctl, and reloads the page. */
export const openWithSession = async (view, from) => {
  const token = (await from.ctl(["session", "open", root])).trim();
  await view.context.setCookie({ name: "better-auth.session_token", value: token, domain: "localhost", path: "/", httpOnly: true, sameSite: "Lax" });
  await view.page.reload();
};
