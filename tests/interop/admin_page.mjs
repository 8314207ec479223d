// Tests the recipe for better-auth's admin client in Debian's Chromium, with httpd in front of the application.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { browserProgram, eventuallyEquals, isShown, openBrowser as openChromium, Sources, visit } from "./front_ends/build.mjs";
import { newest, secret } from "./support/applications.mjs";
import { openBrowser } from "./support/browser.mjs";
import { describeSite } from "./support/checks.mjs";
import { loadOwn } from "../javascript/httpd.mjs";
import { load, loadTypeScript, repository, work } from "./support/machine.mjs";
import { newUserFields } from "./support/site.mjs";
import { asMigrated } from "./support/styles.mjs";
import { shape } from "./support/types.mjs";

const page = "better-auth-admin";
const calls = "better-auth-calls";
const folder = join(work, "admin-page");
const auditLog = join(work, "admin-page.log");

/** Binds the application's port before httpd starts. The application responds once a test calls serve(). */
const directives = async (site) => {
  site.server = createServer();
  await new Promise((resolve) => site.server.listen(0, "127.0.0.1", resolve));
  site.beforeClose(() => (site.server.close(), site.server.closeAllConnections()));
  const secretFile = join(work, "admin-page.secret");
  writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });
  const values = {
    APPLICATION_ADDRESS: `http://127.0.0.1:${site.server.address().port}`,
    APPLICATION_DATABASE: site.database.params,
    APPLICATION_SECRET: `file:${secretFile}`,
    ADMIN_PAGE: folder,
    ADMIN_AUDIT_LOG: auditLog,
  };
  return (
    ["alias", "dir", "mime", "proxy", "proxy_http"].map(loadOwn).join("") +
    "TypesConfig /dev/null\nAddType text/html .html\nAddType text/javascript .js\n" +
    Object.entries(values).map(([name, value]) => `Define ${name} "${value}"\n`).join("") +
    `Include "${join(repository, "conf/recipes/better-auth-admin.conf")}"\n`
  );
};

let sources;
const prepare = async () => (sources ??= await Sources.make());

/** Lets the application respond behind httpd. Returns the paths of the requests that it receives. */
const serve = async (site) => {
  const { toNodeHandler } = await load(`${site.version.packageName}/node`);
  const { adminAc, defaultAc, userAc } = await load(`${site.version.packageName}/plugins/admin/access`);
  // As in the recipe.
  const limited = defaultAc.newRole({ user: ["list", "get", "ban", "impersonate"], session: ["list", "revoke"] });
  const roles = { user: userAc, admin: limited, superAdmin: adminAc };
  const { auth } = await site.openApplication({
    baseURL: site.httpd.address,
    withoutAdmin: true,
    extraPlugins: ({ admin }) => [admin({ roles, adminRoles: ["admin", "superAdmin"] })],
  });
  const handle = toNodeHandler(auth);
  const asked = [];
  site.server.on("request", (request, response) => {
    asked.push(new URL(request.url, site.httpd.address).pathname);
    return handle(request, response);
  });
  return asked;
};

describeSite(
  "the recipe for the admin client",
  newest,
  asMigrated,
  (check) => {
    check("the client's 15 functions have the library's types", async (site) => {
      const sources = await prepare();
      assert.equal(await sources.problems([`${calls}.ts`]), "");
      const { callAll } = await loadTypeScript(`tests/interop/front_ends/${calls}.ts`);
      const mismatches = await sources.checkOf(`${calls}.ts`, "callAll");
      const { adminClient } = await load(`${site.version.packageName}/client/plugins`);
      const { here, there, jar } = await openBrowser(site, [adminClient()]);
      const results = [];
      for (const client of [here, there]) {
        jar.clear();
        await there.signIn.email({ email: "raiz@example.org", password: "contraseña de raíz" });
        const responses = await callAll(client, (email, password) => site.signIn({ email, password }));
        results.push({ mismatches: mismatches(responses), shape: shape(responses) });
      }
      // The library responds with null where its type has undefined.
      assert.deepEqual(...results);
      assert.equal(Object.keys(results[0].shape).length, 15);
    });

    // Not every system has Chromium.
    if (!browserProgram) return;

    check("an admin page lists, searches, bans and impersonates", async (site) => {
      const sources = await prepare();
      assert.equal(await sources.problems([`${page}.tsx`]), "");
      await sources.bundle(page, folder);
      const asked = await serve(site);
      const people = [];
      for (let number = 0; number < 7; ++number)
        people.push(await site.createUser(newUserFields({ name: `Ana ${number}` })));
      const other = await site.createUser(newUserFields({ name: "Bea" }));
      const emails = people.map(({ email }) => email);
      const chromium = await openChromium();
      try {
        await visit(chromium, `${site.httpd.address}/admin/${page}.html`, [], async (page) => {
          const press = (name) => page.getByRole("button", { name, exact: true }).click();
          const shown = () => page.locator("li button").allTextContents();
          await page.getByLabel("Email").fill("raiz@example.org");
          await page.getByLabel("Password").fill("contraseña de raíz");
          await press("Sign in");
          await isShown(page, "raiz@example.org (signed in)");
          await eventuallyEquals(shown, emails.slice(0, 5));
          await press("Next");
          await eventuallyEquals(shown, [...emails.slice(5), other.email, "raiz@example.org"]);
          await page.getByLabel("Search").fill("Bea");
          await eventuallyEquals(shown, [other.email]);

          await press(other.email);
          await isShown(page, `Bea is active since ${new Date().getFullYear()}`);
          await press("Ban");
          await isShown(page, "Bea is banned: spam");
          assert.equal((await site.recordAtService(other.id)).banned, true);

          await page.getByLabel("Search").fill("Ana 3");
          await eventuallyEquals(shown, [emails[3]]);
          await press(emails[3]);
          await press("Impersonate");
          await isShown(page, `${emails[3]} (impersonated)`);
          await press("Stop");
          await isShown(page, "raiz@example.org (signed in)");
        });
      } finally {
        await chromium.close();
      }
      // httpd has responded to the admin client, and the application to the rest.
      assert.ok(asked.includes("/api/auth/sign-in/email") && asked.includes("/api/auth/get-session"));
      assert.deepEqual(asked.filter((path) => path.startsWith("/api/auth/admin")), []);
      const lines = readFileSync(auditLog, "utf8").trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual(
        lines.slice(-3).map(({ operation, result }) => `${operation} ${result}`),
        ["ban done", "impersonate-user done", "stop-impersonating done"],
      );
    });
  },
  { directives },
);
