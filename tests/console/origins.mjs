// Opens pages of several origins in Chromium. Own and trusted pages may use the service. Other pages must not use a visitor's
// session.
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";

import { loadOwn } from "../javascript/httpd.mjs";
import { repository } from "../javascript/machine.mjs";
import { launchChromium } from "./support/browser.mjs";
import { Site } from "./support/site.mjs";

/** Browsers send Sec-Fetch-Site only to localhost and over TLS. To the domain test, they send only Origin. */
const domains = ["localhost", "test"];

const trusted = `UserAdminTrustedOrigin ${domains.map((domain) => `http://web.app.${domain}:\${PORT}`).join(" ")}\n`;

/** The fields of httpd's log, in order. */
const fields = {
  host: "%{Host}i",
  origin: "%{Origin}i",
  type: "%{Content-Type}i",
  hasSession: "%{has_session}e",
  status: "%>s",
  method: "%m",
  path: "%U",
  readableBy: "%{Access-Control-Allow-Origin}o",
};

const site = new Site({
  directives: trusted,
  lines:
    `<Location "/api/auth">\n${trusted}</Location>\n` +
    `<Location "/pages">\nForceType text/html\n</Location>\n<Location "/pages/common.js">\nForceType text/javascript\n</Location>\n` +
    `${loadOwn("setenvif")}SetEnvIf Cookie session_token=. has_session=yes\nCustomLog requests.log "${Object.values(fields).join("|")}"\n`,
});

after(() => Site.stopAll());

const readRequests = () =>
  readFileSync(join(site.httpd.folder, "requests.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const values = line.split("|");
      return Object.fromEntries(Object.keys(fields).map((name, index) => [name, values[index]]));
    });

const isWrite = ({ method }) => ["POST", "PUT", "DELETE"].includes(method);

/** Asserts that all writes from pages of another origin were refused, and that the pages could not read any response. */
const checkAttack = (requests, by, on) => {
  const arrived = new Set();
  for (const request of requests) {
    const isTheirs = request.origin === by || request.origin === "null";
    if (`http://${request.host}` !== on || !isTheirs || !request.path.startsWith("/api/")) continue;
    const text = JSON.stringify(request);
    assert.equal(request.readableBy, "-", text);
    if (!isWrite(request)) continue;
    // Without a session, a sign-out has no effect.
    assert.ok(request.status === "403" || (request.path === "/api/auth/sign-out" && request.hasSession === "-"), text);
    arrived.add(`${request.origin.slice(0, 4)} ${request.type.split(";")[0]} ${request.path}`);
  }
  // A form of each type, a fetch without preflight, and a frame with an opaque origin must have arrived. Otherwise, nothing was
  // tested.
  for (const origin of ["http", "null"])
    for (const sent of [
      "text/plain /api/users",
      "application/x-www-form-urlencoded /api/users",
      "multipart/form-data /api/users",
      "application/x-www-form-urlencoded /api/auth/sign-in/email",
      "application/x-www-form-urlencoded /api/auth/sign-out",
    ])
      assert.ok(arrived.has(`${origin} ${sent}`), `${origin} ${sent} did not arrive`);
};

const attackOutcomes = ["include", "omit"].flatMap((credentials) => [
  ...["text", "urlencoded", "multipart"].map((sent) => `${sent} ${credentials} opaque`),
  ...["GET", "POST text", "POST json", "PUT", "DELETE", "bearer"].map((sent) => `${sent} ${credentials} refused`),
]);

test("only pages of own and trusted origins use the service", async () => {
  await site.start();
  cpSync(join(repository, "tests/console/origins"), join(site.httpd.folder, "documents", "pages"), { recursive: true });
  const users = async () => (await site.users()).map(({ id, name, email, role }) => ({ id, name, email, role }));
  const before = await users();
  const origin = (name, domain) => `http://${name}.${domain}:${site.httpd.port}`;
  const browser = await launchChromium([
    "--disable-popup-blocking",
    "--disable-features=HttpsUpgrades",
    "--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP *.test 127.0.0.1",
  ]);
  try {
    for (const domain of domains) {
      const page = await browser.newPage();
      /** Opens a page. Returns the outcomes of its requests. */
      const visit = async (name, file) => {
        await page.goto(`${origin(name, domain)}/pages/${file}?api=${origin("api.app", domain)}`);
        await page.waitForFunction(() => window.isDone, { polling: 100, timeout: 240000 });
        return page.evaluate(() => window.outcomes);
      };
      assert.deepEqual(await visit("api.app", "own.html"), [
        "POST /api/auth/sign-in/email 200", "GET /api/users 200", "POST /api/users 200", "PUT 200", "DELETE 200",
      ]);
      for (const name of ["evil", "evil.app"]) assert.deepEqual(await visit(name, "attack.html"), attackOutcomes);
      assert.deepEqual(await visit("web.app", "trusted.html"), ["GET 200", "POST 200", "PUT 200", "DELETE 200", "GET of nobody 404"]);
    }
  } finally {
    await browser.close();
  }
  const requests = readRequests();
  for (const domain of domains) {
    for (const name of ["evil", "evil.app"]) checkAttack(requests, origin(name, domain), origin("api.app", domain));
    // The session could have been used: pages of the same site sent its cookie.
    assert.ok(requests.some((request) => request.origin === origin("evil.app", domain) && request.hasSession === "yes" && isWrite(request)));
  }
  assert.deepEqual(await users(), before);
  // The own page has created one session in each domain.
  assert.equal(await site.sql('SELECT count(*) FROM "session"'), "2\n");
});
