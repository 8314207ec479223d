// Tests the console in Chromium against the real modules: each task in each role, with checks of every view.
import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { load, packages, repository, run, work } from "../interop/support/machine.mjs";
import { startBrowser, stopBrowser, View } from "./support/browser.mjs";
import { hostileNames, password, Site } from "./support/site.mjs";

const root = "ada@example.com";
const admin = "olivia@example.com";
const user = "ulises@example.com";
const agents = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
];

// A site for changes, one with UserAdminExtras, and one that tests only read.
let site = null;
let extras = null;
let shown = null;
// A site next to an application with its own sign-in.
let application = null;
// A site with the root as its base address and small pages.
let rooted = null;
// A site whose application caches sessions.
let cached = null;
// A site with users who have a second factor.
let factored = null;
// A site whose service replies in English.
let english = null;
// A site that sends links by mail.
let mailing = null;
// A site for bulk changes.
let several = null;
// A site for the tests in Firefox.
let inFirefox = null;
// A site whose application has added columns to the user table.
let further = null;
// The backup codes are aaaaa-bbbbb and ccccc-ddddd, encrypted with this secret as better-auth does.
const secret = "a secret of thirty-two characters";
const backupCodes =
  "000102030405060708090a0b0c0d0e0f1011121314151617701eadf76239860842bd9cd0c8166bc918908d5ed98d6c32ab90a0a49d9e22299fb7708f128259f1863b0d6138";
before(async () => {
  await startBrowser();
  site = await Site.start();
  extras = await Site.start({ directives: "UserAdminExtras On", hasAuditLog: true });
  // Before the first request, because the version of a row on SQLite depends on the columns.
  await extras.addSecondFactor("user-27");
  shown = await Site.start({ directives: "UserAdminExtras On" });
  for (const agent of agents) await shown.openSession("mary.jackson@example.org", agent);
  application = await Site.start({ signIn: false, console: "UserAdminConsoleSignIn /sign-in?then=/admin" });
  rooted = await Site.start({ base: "/", signIn: false, directives: "UserAdminMaxLimit 7" });
  factored = await Site.start({ secret });
  await factored.addSecondFactor("root-1", backupCodes);
  english = await Site.start({ directives: "UserAdminLanguage en" });
  mailing = await Site.start({
    secret,
    hasAuditLog: true,
    directives:
      'UserAdminExtras On\nUserAdminMailCommand /bin/true\nUserAdminMailFrom a@example.org\nUserAdminMailPasswordLink https://a.example/{token}\nUserAdminMailVerifyLink https://a.example/{token}',
  });
  several = await Site.start({ directives: "UserAdminExtras On" });
  if (process.env.CONSOLE_FIREFOX) inFirefox = await Site.start({ directives: "UserAdminExtras On" });
  further = await Site.start({ directives: "UserAdminExtras On\nUserAdminColumns company settings\nUserAdminEditable plan seats vip seen missing", hasAuditLog: true });
  await further.sql(
    `ALTER TABLE "user" ADD COLUMN "company" text; ALTER TABLE "user" ADD COLUMN "settings" json; ALTER TABLE "user" ADD COLUMN "plan" text;
     ALTER TABLE "user" ADD COLUMN "seats" integer; ALTER TABLE "user" ADD COLUMN "vip" boolean; ALTER TABLE "user" ADD COLUMN "seen" timestamp;
     ALTER TABLE "user" ADD COLUMN "resetToken" text DEFAULT 's3cr3t';
     UPDATE "user" SET "company" = '<b>Navy</b>', "settings" = '{"a":[1]}', "plan" = 'basic', "seen" = '2026-03-01T09:30:00.000Z' WHERE "id" = 'user-3'`);
  cached = await Site.start({ directives: "UserAdminExtras On\nUserAdminEndSessions On\nUserAdminApplicationCache 300" });
});
after(async () => {
  await stopBrowser();
  for (const each of [site, extras, shown, application, rooted, cached, factored, english, mailing, several, further, inFirefox]) await each?.stop();
});

/** Defines a test that opens a page and checks it at the end. */
const scene = (name, settings, body) =>
  test(name, { skip: settings.isFirefox && !process.env.CONSOLE_FIREFOX ? "there is no Firefox here (Debian's package is firefox-esr)" : false }, async () => {
    const view = await View.open(settings.site?.() ?? site, settings);
    await body(view);
    await view.close();
  });

/** Creates a user through the API, not the console. Returns the id. */
const make = async (view, name, email) =>
  (await view.ask("POST", "/api/users", { name, email, password: "12345678", role: "user" })).data.id;

/** Gives the open user the role admin, and saves all edits. */
const makeAdmin = async (view) => {
  await view.choose("dialog select[name=role]", "admin");
  await view.press("Save changes");
  await view.press("Give the role");
  await view.read("Saved.", "dialog .status");
};

/** Sets the cookie of a session opened by useradminctl, and reloads the page. */
const comeWithSession = async (view, from) => {
  const token = (await from.ctl(["session", "open", root])).trim();
  await view.context.setCookie({ name: "better-auth.session_token", value: token, domain: "localhost", path: "/", httpOnly: true, sameSite: "Lax" });
  await view.page.reload();
};

test("the refusals that the console tells apart have the service's own English", () => {
  const script = readFileSync(join(repository, "mod_useradmin/console/script/texts.js"), "utf8");
  const texts = readFileSync(join(repository, "mod_useradmin/api/texts.hpp"), "utf8");
  const services = [...texts.matchAll(/Text (\w+) = {("[^"]+"),\s+("[^"]+")}/g)].map(([, name, spanish, own]) => ({ name, spanish, own }));
  const told = services.filter(({ spanish }) => script.includes(`\n  ${spanish}: [`));
  assert.deepEqual(told.map(({ name }) => name),
    ["create_role_forbidden", "delete_protected", "email_taken", "last_super_admin", "origin_not_allowed", "email_not_mailable", "link_failed", "invitation_failed", "no_second_factor"]);
  for (const { name, spanish, own } of told) assert.ok(script.includes(`\n  ${spanish}: [${own}`), `texts.js lacks the English text of ${name}`);
  // No other key is a sentence.
  assert.equal([...script.matchAll(/^  "[A-Z][^"]* /gm)].length, told.length);
  // The console always says correo, bloquear and superadministrador, so it does not show these Spanish messages.
  for (const { name, spanish, own } of told.filter(({ spanish: each }) => /email|bane|superAdmin/.test(each)))
    assert.ok(script.includes(`\n  ${spanish}: [${own}, "`), `texts.js lacks the text of ${name}`);
  // For other errors, the console shows the text of the status.
  for (const [status, which] of [[403, "get_forbidden"], [429, "too_many_requests"], [503, "unavailable"]])
    assert.ok(script.includes(`\n  "status.${status}": [${services.find(({ name }) => name === which).own}, "`), `texts.js lacks the English text of status ${status}`);
});

const scripts = join(repository, "mod_useradmin/console/script");

test("the script's types fit each other and those of the OpenAPI document", async () => {
  const folder = join(work, "script");
  cpSync(scripts, folder, { recursive: true });
  const { default: typesOf, astToString } = await load("openapi-typescript");
  const document = readFileSync(join(repository, "mod_useradmin/api/openapi.json"), "utf8");
  writeFileSync(join(folder, "openapi.d.ts"), astToString(await typesOf(JSON.parse(document))));
  const compilerOptions = { allowJs: true, checkJs: true, lib: ["es2023", "dom", "dom.iterable"], noEmit: true, noUnusedLocals: true, strict: true, target: "es2023", types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.js"] }));
  const { status, output } = await run(process.execPath, [join(packages, "typescript/bin/tsc"), "-p", folder]);
  assert.equal(status, 0, output);
});

test("no function of the script has more than 60 lines", async () => {
  const { default: typescript } = await load("typescript");
  for (const name of readdirSync(scripts)) {
    const source = typescript.createSourceFile(name, readFileSync(join(scripts, name), "utf8"), typescript.ScriptTarget.Latest);
    const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
    const visit = (node) => {
      const [from, to] = [lineOf(node.getStart(source)), lineOf(node.end)];
      assert.ok(!typescript.isFunctionLike(node) || to - from < 60, `${name}:${from}: ${to - from + 1} lines`);
      typescript.forEachChild(node, visit);
    };
    visit(source);
  }
});

// --- In Firefox ---

for (const [width, languages, saveChanges, saved, ban, banned, signOut, signedOut] of [
  [1280, ["en"], "Save changes", "Saved.", "Ban", "Grace Hopper-Murray is banned.", "Sign out", "You have signed out."],
  [390, ["es"], "Guardar cambios", "Guardado.", "Bloquear", "Grace Hopper-Murray está bloqueado.", "Cerrar sesión", "Has cerrado la sesión."],
])
  scene(`a user is found, changed and banned in Firefox, ${width} px wide`, { email: root, site: () => inFirefox, isFirefox: true, width, languages }, async (view) => {
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
    const [row] = (await inFirefox.users()).filter((each) => each.email === "grace.hopper@example.org");
    assert.deepEqual([row.name, Boolean(row.banned), row.banReason], ["Grace Hopper-Murray", true, "spam"]);
    await view.ask("PUT", `/api/users/${row.id}`, { name: "Grace Hopper", banned: false });
    await view.closeDialog();
    await view.press(signOut);
    await view.read(signedOut);
  });

// --- Signing in and out ---

scene("without a session the console shows the sign-in form, and reports a wrong password", {}, async (view) => {
  await view.see("form");
  assert.ok(!(await view.text()).includes("@"));
  await view.press("Sign in");
  assert.equal(await view.text(".field .wrong"), "Enter an e-mail.\nEnter a password.");
  await view.type("input[name=email]", root);
  await view.type("input[name=password]", "not the password");
  await view.press("Sign in");
  await view.read("Wrong e-mail or password.", "[role=alert]");
  await view.check("sign-in with an error");
  await view.signIn(root);
  await view.see("tbody tr");
});

/** Enters the address and password of a user with a second factor. */
const enterPassword = async (view) => {
  await view.type("input[name=email]", root);
  await view.type("input[name=password]", password);
  await view.press("Sign in");
  await view.see("input[name=code]");
};

scene("a user with a second factor is asked for a code after the password", { site: () => factored }, async (view) => {
  await enterPassword(view);
  await view.check("second factor");
  await view.press("Cancel");
  await enterPassword(view);
  await view.type("input[name=code]", "aaaaa-aaaaa");
  await view.press("Sign in");
  await view.read("Wrong code.", "[role=alert]");
  await view.type("input[name=code]", "aaaaa-bbbbb");
  await view.page.click("input[name=trust]");
  await view.press("Sign in");
  await view.see("tbody tr");
  await view.press("Sign out");
  await view.signIn(root);
  await view.see("tbody tr");
});

scene("an expired challenge leads back to the password", { site: () => factored }, async (view) => {
  await enterPassword(view);
  await view.page.deleteCookie({ name: "better-auth.two_factor", domain: "localhost", path: "/" });
  await view.type("input[name=code]", "ccccc-ddddd");
  await view.press("Sign in");
  await view.read("That took too long. Sign in again.");
  await view.see("input[name=password]");
});

scene("signing out ends the session, and an expired session leads back to the form", { email: root }, async (view) => {
  await view.press("Sign out");
  await view.read("You have signed out.");
  await view.page.reload();
  await view.see("input[name=password]");
  await view.signIn(root);
  await view.ask("POST", "/api/auth/sign-out", {});
  await view.type("input[type=search]", "a");
  await view.read("Your session has ended. Sign in again.");
});

scene("a reply that arrives after signing out is ignored", { email: root }, async (view) => {
  await view.rest();
  const release = await view.holdSearch("grace");
  await view.press("Sign out");
  await view.read("You have signed out.");
  const reply = view.page.waitForResponse((response) => response.url().includes("search=grace"));
  await release();
  assert.equal((await reply).status(), 401);
  await view.rest();
  assert.match(await view.text(), /You have signed out\./);
});

scene("a banned user cannot sign in", {}, async (view) => {
  await view.type("input[name=email]", "alan.turing@example.org");
  await view.type("input[name=password]", password);
  await view.press("Sign in");
  await view.read("This account is banned.", "[role=alert]");
});

scene("a user sees only their own record, read-only", { email: user }, async (view) => {
  await view.read("Ulises Vega");
  await view.read("ulises-1");
  assert.equal(await view.has("table"), false);
  assert.deepEqual(await view.page.$$eval("button", (all) => all.map((each) => each.textContent)), ["Sign out"]);
  assert.ok(!view.requests.some((each) => each.startsWith("/api/users?")), "users are listed");
});

// --- The list ---

scene("the list is searched while typing, and the previous request is aborted", { email: root }, async (view) => {
  view.requests.length = 0;
  await view.page.type("input[type=search]", "lovel", { delay: 20 });
  await view.listed("Ada Lovelace");
  const searches = view.requests.filter((each) => each.includes("search="));
  assert.ok(searches.length <= 2, `a request per letter: ${searches}`);
  await view.read("1–1 of 1", ".foot");
  // A late reply is ignored if the search has changed since.
  const release = await view.holdSearch("grace");
  await view.type("input[type=search]", "tony");
  await view.listed("Tony Hoare");
  await release();
  await view.rest();
  await view.listed("Tony Hoare");
  await view.searchFor("nobody is called so");
  await view.read("No user matches.");
  await view.check("an empty list");
  await view.press("Clear search and filters");
  await view.read("1–20 of 37", ".foot");
  assert.equal(await view.page.evaluate(() => document.activeElement.type), "search");
});

scene("searching for an id finds its user", { email: root }, async (view) => {
  await view.searchFor("user-2");
  await view.listed("Jonas Weber");
  await view.read("1–1 of 1", ".foot");
  await view.searchFor("user-999");
  await view.read("No user matches.");
});

scene("a space at the end is kept when typing pauses", { email: root }, async (view) => {
  await view.searchFor("ada");
  const again = view.page.waitForResponse((reply) => /search=ada(&|$)/.test(reply.url()));
  await view.page.type("input[type=search]", " ");
  await again;
  await view.page.type("input[type=search]", "lovelace");
  await view.searchesFor("ada lovelace");
  await view.listed("Ada Lovelace");
});

scene("aborting a request while its reply arrives reports no error", { email: root }, async (view) => {
  await view.page.evaluate(() => {
    const own = window.fetch;
    window.alerts = [];
    new MutationObserver(() => window.alerts.push(...[...document.querySelectorAll("[role=alert]")].map((each) => each.textContent).filter(Boolean)))
      .observe(document.body, { subtree: true, childList: true });
    const endless = (signal) => new Response(new ReadableStream({ start: (stream) => signal.addEventListener("abort", () => stream.error(signal.reason)) }));
    window.fetch = async (url, options) => (url.includes("search=grace") ? endless(options.signal) : own(url, options));
  });
  await view.type("input[type=search]", "grace");
  await view.page.waitForFunction(() => location.hash.includes("search=grace"));
  await view.type("input[type=search]", "tony");
  await view.listed("Tony Hoare");
  assert.deepEqual(await view.page.evaluate(() => window.alerts), []);
});

scene("an outdated total leads back to the first page without endless requests", { email: root }, async (view) => {
  await view.intercept((request) => request.url().includes("page=2&") && {
    headers: { "X-Total-Count": "37" },
    body: JSON.stringify({ success: true, data: [], pagination: { page: 2, limit: 20, total: 37, totalPages: 2 } }),
  });
  view.requests.length = 0;
  await view.press("Next");
  await view.page.waitForFunction(() => !location.hash.includes("page="));
  await view.read("1–20 of", ".foot");
  assert.ok(view.requests.length <= 3, `too many requests: ${view.requests.length}`);
});

scene("of two counts, the later one is shown", { email: root }, async (view) => {
  const release = await view.hold((request) => request.url().includes("summary="));
  const before = Number(await view.text(".total .number"));
  await view.createUser("Early Bird", "early@example.org");
  await view.createUser("Late Riser", "late@example.org");
  await view.read(String(before + 2), ".total .number");
  await release({ headers: { "X-Total-Count": "999" },
    body: JSON.stringify({ success: true, data: [], pagination: { page: 1, limit: 1, total: 999, totalPages: 999 }, summary: { total: 999, banned: 0, unverified: 0, created: Array(14).fill(0) } }) });
  await view.rest();
  assert.equal(await view.text(".total .number"), String(before + 2));
  for (const email of ["early@example.org", "late@example.org"]) await view.ask("DELETE", `/api/users/${(await site.userAt(email)).id}`);
});

scene("filters are combined, and the list is sorted and paged", { email: root }, async (view) => {
  const select = (label) => `.tools div:has(> label[for]) select[id="${label}"]`;
  const idOf = (label) => view.page.evaluate((text) => [...document.querySelectorAll("label")].find((each) => each.textContent === text).htmlFor, label);
  const choose = async (label, value) => {
    await view.choose(select(await idOf(label)), value);
    await view.rest();
  };
  await choose("Role", "admin");
  await view.listed("Dennis Ritchie", "Olivia Ortiz");
  await choose("Role", "");
  await choose("Status", "true");
  await choose("Order", "name asc");
  await view.listed(hostileNames[0], "Alan Turing", "Emmy Noether", "Margaret Hamilton");
  await view.searchFor("emmy");
  await view.listed("Emmy Noether");
  await view.searchFor("");
  await choose("Status", "");
  await choose("E-mail verified", "false");
  await choose("Order", "email desc");
  const unverified = await view.names();
  assert.ok(unverified.length > 2);
  await choose("E-mail verified", "");
  await choose("Order", "createdAt desc");
  // The column headings also sort.
  await view.press("User", "thead");
  await view.rest();
  assert.equal(await view.page.$eval("th:first-child", (head) => head.getAttribute("aria-sort")), "ascending");
  await view.press("User", "thead");
  await view.rest();
  assert.equal(await view.page.$eval("th:first-child", (head) => head.getAttribute("aria-sort")), "descending");
  const first = await view.names();
  assert.equal(first.length, 20);
  const turned = view.page.waitForRequest((request) => /page=2&.*cursor=/.test(request.url()));
  await view.press("Next");
  await turned;
  await view.read("21–37 of 37", ".foot");
  assert.ok((await view.names()).every((each) => !first.includes(each)));
  await view.focusOn("Previous");
  // A reload keeps the position in the list.
  await view.page.reload();
  await view.read("21–37 of 37", ".foot");
  await view.press("Previous");
  await view.read("1–20 of 37", ".foot");
  await view.choose(".foot select", "50");
  await view.read("1–37 of 37", ".foot");
});

// Returns the labels of the visible filters.
const shownFilters = (view) => view.page.$$eval(".tools .filter", (all) => all.filter((each) => each.checkVisibility()).map((each) => each.querySelector("label").textContent));

for (const [language, name, first] of [["en", "Filters", "Role"], ["es", "Filtros", "Rol"]])
  scene(`on a phone a button shows the filters, in ${language}`, { email: root, width: 390, height: 844, languages: [language] }, async (view) => {
    assert.deepEqual(await shownFilters(view), []);
    const expanded = () => view.page.$eval(".fold", (fold) => fold.getAttribute("aria-expanded"));
    assert.equal(await expanded(), "false");
    await view.page.focus("input[type=search]");
    await view.tabTo(".fold");
    await view.focusOn(name);
    await view.key("Enter");
    assert.equal(await expanded(), "true");
    assert.equal((await shownFilters(view)).length, 5);
    await view.tabTo(".filter select");
    await view.page.select(".filter select", "admin");
    await view.rest();
    assert.equal(await view.text(".fold"), `${name} (1)`);
    await view.check("the filters on a phone");
    // Hidden filters stay selected and are counted.
    await view.press(`${name} (1)`);
    assert.deepEqual(await shownFilters(view), []);
    await view.page.reload();
    await view.listed("Dennis Ritchie", "Olivia Ortiz");
    assert.equal(await view.text(".fold"), `${name} (1)`);
    assert.ok((await view.page.$eval(".filter", (filter) => filter.textContent)).includes(first));
  });

scene("an admin on a phone sees only the filters of an admin", { email: admin, width: 390, height: 844 }, async (view) => {
  await view.press("Filters");
  assert.deepEqual(await shownFilters(view), ["Status", "E-mail verified", "Created from", "Created to"]);
  await view.page.evaluate(() => (location.hash = "#role=admin&banned=true"));
  await view.read("Filters (1)", ".tools");
});

scene("on a wide screen all filters are visible", { email: root }, async (view) => {
  assert.equal((await shownFilters(view)).length, 5);
  assert.equal(await view.button("Filters"), null);
});

scene("rows of users who are still listed keep focus and selection", { email: root }, async (view) => {
  const id = await make(view, "Row Of One", "row@example.org");
  await view.page.reload();
  await view.read("1–20 of", ".foot");
  await view.page.evaluate(() => {
    window.before = [...document.querySelectorAll("tbody tr")].map((row) => [row, row.children[1]]);
    getSelection().selectAllChildren(window.before[2][0].querySelector(".muted"));
    window.before[3][0].querySelector("button").focus();
  });
  const state = () => view.page.evaluate(() => ({
    rows: window.before.filter(([row], at) => row === document.querySelectorAll("tbody tr")[at]).length,
    repainted: window.before.filter(([row, cell]) => row.isConnected && cell !== row.children[1]).map(([row]) => row.querySelector("button").textContent),
    selected: getSelection().toString() === window.before[2][0].querySelector(".muted").textContent,
    focused: document.activeElement === window.before[3][0].querySelector("button"),
  }));
  const limitTo = async (limit) => {
    // Do not click, which would move the focus.
    await view.page.evaluate((value) => {
      const node = document.querySelector(".foot select");
      node.value = value;
      node.dispatchEvent(new Event("change"));
    }, limit);
    await view.rest();
  };
  await limitTo("50");
  assert.ok((await view.names()).length > 20);
  assert.deepEqual(await state(), { rows: 20, repainted: [], selected: true, focused: true });
  await view.ask("PUT", `/api/users/${id}`, { name: "Row Renamed" });
  await limitTo("20");
  assert.deepEqual(await state(), { rows: 20, repainted: ["Row Renamed"], selected: true, focused: true });
  await view.ask("DELETE", `/api/users/${id}`);
  await limitTo("50");
  // The other rows move up.
  const left = await state();
  assert.deepEqual([left.rows, left.selected, left.focused], [0, true, true]);
});

scene("opening a bookmark changes the list, and Back restores it", { email: root }, async (view) => {
  await view.searchFor("ada lovelace");
  await view.listed("Ada Lovelace");
  const depth = await view.page.evaluate(() => history.length);
  await view.page.evaluate(() => (location.hash = "#search=o&role=admin&sort=name+asc"));
  await view.listed("Dennis Ritchie", "Olivia Ortiz");
  const shown = () => view.page.$$eval(".tools input, .tools select", (all) => all.map((each) => each.value));
  assert.deepEqual(await shown(), ["o", "admin", "", "", "", "", "name asc"]);
  assert.equal(await view.page.evaluate(() => history.length), depth + 1);
  await view.page.evaluate(() => history.back());
  await view.listed("Ada Lovelace");
  assert.deepEqual(await shown(), ["ada lovelace", "", "", "", "", "", "createdAt desc"]);
});

const back = (view) => view.page.evaluate(() => history.back());
const depth = (view) => view.page.evaluate(() => history.length);

scene("Back returns to each page and search, and typing a search is one history entry", { email: root }, async (view) => {
  const before = await depth(view);
  await view.press("Next");
  await view.read("21–37 of 37", ".foot");
  for (const text of ["ada", "ada l", "ada lovelace"]) {
    await view.page.$eval("input[type=search]", (search, value) => {
      search.value = value;
      search.dispatchEvent(new Event("input"));
    }, text);
    await view.searchesFor(text);
  }
  await view.listed("Ada Lovelace");
  assert.equal(await depth(view), before + 2);
  await back(view);
  await view.read("21–37 of 37", ".foot");
  await back(view);
  await view.read("1–20 of 37", ".foot");
  assert.equal(await view.page.evaluate(() => location.hash), "");
  await view.page.evaluate(() => history.go(2));
  await view.listed("Ada Lovelace");
});

scene("an open user has an address and a history entry", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  assert.equal(await view.page.evaluate(() => location.hash), "#search=hedy.lamarr%40example.org&user=user-17");
  await back(view);
  await view.gone("dialog");
  await view.focusOn("Hedy Lamarr");
  await view.listed("Hedy Lamarr");
  await view.page.evaluate(() => history.forward());
  await view.read("Hedy Lamarr", "dialog.drawer h2");
  await view.page.reload();
  await view.read("Hedy Lamarr", "dialog.drawer h2");
  await view.rest();
  const entries = await depth(view);
  await view.closeDialog();
  await view.focusOn("Hedy Lamarr");
  assert.equal(await view.page.evaluate(() => location.hash), "#search=hedy.lamarr%40example.org");
  // A closed drawer leaves no history entry.
  await view.press("Hedy Lamarr");
  await view.see("dialog.drawer .facts dd");
  assert.equal(await depth(view), entries);
  await view.key("Escape", "Escape");
  await view.gone("dialog");
  await view.listed("Hedy Lamarr");
});

scene("Back asks before it discards edits", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.type("dialog input[name=name]", "Hedy L.");
  await back(view);
  await view.read("Discard what you typed?", "dialog:not(.drawer)");
  await view.press("Keep editing");
  await view.gone("dialog:not(.drawer)");
  assert.equal(await view.valueOf("name"), "Hedy L.");
  assert.match(await view.page.evaluate(() => location.hash), /user=user-17$/);
  await back(view);
  await view.see("dialog:not(.drawer)");
  await back(view);
  await view.rest();
  assert.equal((await view.page.$$("dialog:not(.drawer)")).length, 1);
  await view.press("Discard");
  await view.gone("dialog");
  await view.listed("Hedy Lamarr");
});

scene("a link to a user opens that user", {}, async (view) => {
  await view.page.goto(`${site.address}#user=user-17`);
  await view.signIn(root);
  await view.read("Hedy Lamarr", "dialog.drawer h2");
  await view.check("a user opened through a link");
  await view.page.evaluate(() => (location.hash = "#user=user-18"));
  await view.read("John Backus", "dialog.drawer h2");
  await view.press("Close");
  await view.gone("dialog");
  assert.equal(await view.page.evaluate(() => location.hash), "");
  await view.read("1–20 of 37", ".foot");
});

scene("buttons copy the link, e-mail, identifier and password", { email: root, site: () => extras }, async (view) => {
  await view.context.overridePermissions(extras.httpd.address, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
  await view.openUser("hedy.lamarr@example.org");
  const copied = async (name) => {
    await view.press(name);
    await view.read("Copied.", "dialog:last-of-type .status");
    return view.page.evaluate(() => navigator.clipboard.readText());
  };
  assert.equal(await copied("Copy the e-mail"), "hedy.lamarr@example.org");
  assert.equal(await copied("Copy the identifier"), "user-17");
  assert.equal(await copied("Copy a link to this user"), `${extras.address}#user=user-17`);
  await view.press("Set a password");
  await view.press("Generate");
  assert.equal(await copied("Copy the password"), await view.valueOf("password"));
  await view.check("a password to copy");
});

scene("an address that starts with two slashes is not taken for another server", { email: root }, async (view) => {
  await view.page.goto(`${site.httpd.address}//admin`);
  await view.read("1–20 of 37", ".foot");
  await view.searchFor("ada lovelace");
  await view.listed("Ada Lovelace");
  assert.equal(await view.page.evaluate(() => location.pathname), "//admin");
});

scene("after a failure no old rows are shown as results", { email: root }, async (view) => {
  await view.read("1–20 of 37", ".foot");
  await view.page.setOfflineMode(true);
  await view.press("Next");
  await view.read("The server could not be reached. Try again.", ".list [role=alert]");
  await view.focusOn("Load again");
  await view.listed();
  await view.rest();
  assert.equal((await view.text(".foot .range")).trim(), "");
  assert.equal(await view.page.$eval(".list > [role=status]", (said) => said.textContent), "");
  await view.check("a list that failed to load");
  await view.page.setOfflineMode(false);
  await view.press("Load again");
  await view.read("21–37 of 37", ".foot");
});

scene("an error reply of a proxy is explained by its status", { email: root }, async (view) => {
  const replies = { five: { status: 503, contentType: "text/html", body: "<html>" }, four: { status: 429, body: "no" } };
  await view.intercept((request) => replies[new URL(request.url()).searchParams.get("search")]);
  await view.searchFor("five");
  await view.read("The service is busy. Try again in a moment.", ".list [role=alert]");
  await view.searchFor("four");
  await view.read("Too many requests. Try again later.", ".list [role=alert]");
  await view.page.setRequestInterception(false);
  await view.press("Load again");
  await view.read("No user matches.");
  assert.equal((await view.text(".list [role=alert]")).trim(), "");
});

/** Returns how many of the users were created today or in the 13 days before. */
const newUsers = (users) => {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  midnight.setDate(midnight.getDate() - 13);
  return users.filter((each) => new Date(each.createdAt) >= midnight).length;
};

scene("the summary shows the number of users and the new users of each day", { email: root }, async (view) => {
  await view.see(".chart svg");
  assert.equal(await view.text(".total .number"), "37");
  const told = await view.page.$eval(".chart svg", (chart) => chart.getAttribute("aria-label"));
  const counts = told.split(". ")[1].split("; ").map((each) => Number(each.split(": ")[1]));
  assert.equal(counts.length, 14);
  const wanted = newUsers(await site.users());
  assert.equal(counts.reduce((sum, each) => sum + each), wanted);
  await view.read(`${wanted} in 14 days`, ".chart");
  assert.ok(view.requests.filter((each) => each.includes("limit=1&")).length <= 17, "too many requests");
  await view.click(".counts button:first-child");
  await view.rest();
  const banned = (await site.users()).filter((each) => each.banned).map((each) => each.name);
  assert.deepEqual((await view.names()).toSorted(), banned.toSorted());
  await view.read(`${banned.length} banned, ended bans included`, ".counts");
});

scene("a summary that fails to load says so and can be reloaded", { email: root }, async (view) => {
  const failure = { status: 503, body: JSON.stringify({ success: false, error: "Servicio no disponible temporalmente" }) };
  let fails = true;
  await view.intercept((request) => fails && request.url().includes("summary=") && failure);
  await view.page.reload();
  await view.read("The service is busy. Try again in a moment.", ".counts");
  assert.equal(await view.text(".total .number"), "–");
  await view.check("a summary that failed to load");
  fails = false;
  await view.press("Load again", ".counts");
  await view.read("37", ".total .number");
  await view.see(".chart svg");
  assert.equal(await view.page.evaluate(() => document.activeElement.matches(".counts button")), true);
});

scene("an admin sees users with the role user, and can change only names and addresses", { email: admin }, async (view) => {
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
  await view.gone("dialog");
  assert.equal((await site.userAt("nina@example.org")).role, "user");
});

// --- One user ---

scene("a superAdmin invites a user, and sends links", { site: () => mailing, email: root }, async (view) => {
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

scene("a superAdmin can also set a password if links are sent by mail", { site: () => mailing, email: root }, async (view) => {
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
  await view.read("This is not an e-mail address.", "dialog");
  await view.read("It must have 8 to 128 characters.", "dialog");
  await view.check("a new user with errors");
  await view.type("dialog input[name=email]", root);
  await view.type("dialog input[name=password]", password);
  await view.choose("dialog select[name=role]", "admin");
  await view.press("Create user");
  await view.press("Give the role");
  await view.read("Another user has this e-mail.", "dialog .field:has(input[name=email]) .wrong");
  await view.type("dialog input[name=email]", "carla@example.org");
  await view.press("Create user");
  await view.read("Give Carla Cruz the role “Admin”?", "dialog:not(.drawer) h2");
  await view.check("the confirmation of a role");
  await view.press("Give the role");
  await view.read("Carla Cruz has been created.");
  await view.gone("dialog");
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
  await view.rest();
  assert.equal((await site.user("user-2")).role, "user");
  site.httpd.log.expect("UA0106: the database reported an error: UNIQUE");
  await view.type("dialog input[name=email]", root);
  await view.press("Save changes");
  await view.read("Another user has this e-mail.", "dialog .field:has(input[name=email]) .wrong");
  assert.equal(await view.page.evaluate(() => document.activeElement.name), "email");
});

scene("giving a role with more rights requires a confirmation", { email: root }, async (view) => {
  await view.openUser("adele.goldberg@example.org");
  await view.choose("dialog select[name=role]", "superAdmin");
  await view.press("Save changes");
  await view.read("Give Adele Goldberg the role “Super admin”?", "dialog:not(.drawer)");
  await view.press("Cancel");
  await view.gone("dialog:not(.drawer)");
  await view.rest();
  assert.equal((await site.user("user-15")).role, "user");
  await view.press("Save changes");
  await view.press("Give the role");
  await view.read("Saved.", "dialog .status");
  assert.equal((await site.user("user-15")).role, "superAdmin");
  // A role with fewer privileges needs no confirmation.
  await view.choose("dialog select[name=role]", "user");
  await view.press("Save changes");
  await view.rest();
  assert.equal((await site.user("user-15")).role, "user");
});

scene("saving a user that somebody else has changed reports it and loses no edits", { email: root }, async (view) => {
  await view.openUser("edsger.dijkstra@example.org");
  await view.type("dialog input[name=name]", "Edsger W. Dijkstra");
  await view.ask("PUT", "/api/users/user-6", { email: "ewd@example.org" });
  await view.press("Save changes");
  await view.read("Somebody has changed this user in the meantime", "dialog [role=alert]");
  await view.check("a conflict");
  await view.focusOn("Load again, keep what I typed");
  await view.picture("conflict");
  assert.equal((await site.user("user-6")).name, "Edsger Dijkstra");
  await view.press("Load again, keep what I typed");
  await view.read("E-mail is now “ewd@example.org”.", "dialog .status");
  assert.equal(await view.valueOf("name"), "Edsger W. Dijkstra");
  assert.equal(await view.valueOf("email"), "ewd@example.org");
  await view.save();
  const { name, email } = await site.user("user-6");
  assert.deepEqual({ name, email }, { name: "Edsger W. Dijkstra", email: "ewd@example.org" });
});

scene("a superAdmin bans with a reason and lifts the ban", { email: root }, async (view) => {
  await view.openUser("donald.knuth@example.org");
  await view.press("Ban");
  await view.type("dialog input[name=reason]", "literate spam");
  await view.check("the ban dialog");
  await view.press("Ban");
  await view.read("Donald Knuth is banned.", "dialog.drawer .status");
  await view.focusOn("Lift the ban");
  await view.read("literate spam", "dialog.drawer .facts");
  const { banned, banReason } = await site.user("user-8");
  assert.deepEqual({ banned, banReason }, { banned: true, banReason: "literate spam" });
  await view.press("Lift the ban");
  await view.read("The ban has been lifted.", "dialog.drawer .status");
  assert.equal((await site.user("user-8")).banned, false);
  await view.focusOn("Ban");
});

for (const [kind, where] of [["", () => site], [", with UserAdminExtras", () => extras]])
  scene(`banning and unbanning are undone with the keyboard${kind}`, { email: root, site: where }, async (view) => {
    const id = await make(view, "Regretted", "regretted@example.org");
    await view.openUser("regretted@example.org");
    const ban = async (reason) => {
      await view.press("Ban");
      await view.type("dialog input[name=reason]", reason);
      if (kind) await view.choose("dialog select[name=until]", "7");
      await view.press("Ban");
      await view.read("Regretted is banned.", "dialog.drawer .status");
      await view.focusOn("Lift the ban");
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
    assert.equal((await where().user(id)).banned, false);
    assert.equal(await view.button("Undo"), null);
    // Undoing the end of a ban restores its reason and expiry.
    await ban("for good reason");
    const { banned, banReason, banExpires } = await where().user(id);
    await view.press("Lift the ban");
    await view.read("The ban has been lifted.", "dialog.drawer .status");
    await view.focusOn("Ban");
    await undo();
    await view.read("Regretted is banned.", "dialog.drawer .status");
    await view.focusOn("Lift the ban");
    const restored = await where().user(id);
    assert.deepEqual([restored.banned, restored.banReason, restored.banExpires], [banned, banReason, banExpires]);
    assert.deepEqual([banned, banReason, Boolean(banExpires)], [true, "for good reason", Boolean(kind)]);
    // Undo fails if somebody else has changed the user.
    await view.press("Lift the ban");
    await view.read("The ban has been lifted.", "dialog.drawer .status");
    await view.ask("PUT", `/api/users/${id}`, { name: "Regretted by another" });
    await view.press("Undo");
    await view.read("Somebody has changed this user in the meantime, and nothing was saved.", "dialog .notice");
    assert.equal((await where().user(id)).banned, false);
    await view.ask("DELETE", `/api/users/${id}`);
  });

scene("lifting an expired ban offers no undo", { email: root, site: () => extras }, async (view) => {
  const id = await make(view, "Over", "over@example.org");
  await extras.sql(`UPDATE "user" SET "banned" = TRUE, "banExpires" = '2020-01-01T00:00:00.000Z' WHERE "id" = '${id}'`);
  await view.openUser("over@example.org");
  await view.press("Lift the ban");
  await view.read("The ban has been lifted.", "dialog.drawer .status");
  assert.equal(await view.button("Undo"), null);
  await view.ask("DELETE", `/api/users/${id}`);
});

for (const [language, ban, undo, done] of [
  ["en", "Ban", "Undo", "The ban has been lifted. Sessions that the ban ended are not restored."],
  ["es", "Bloquear", "Deshacer", "Se ha levantado el bloqueo. Las sesiones que cerró el bloqueo no se restauran."],
])
  scene(`undoing a ban on a phone says in ${language} that sessions are not restored`, { email: root, site: () => cached, languages: [language], width: 390, height: 640 }, async (view) => {
    await view.openUser("ingrid.bergstrom@example.org");
    await view.press(ban);
    await view.press(ban);
    await view.read(undo, "dialog.drawer .status");
    await view.press(undo);
    await view.readInSight(done, "dialog.drawer .status");
    assert.equal((await cached.userAt("ingrid.bergstrom@example.org")).banned, false);
  });

scene("values that were not edited are not saved, even if an input cannot show them exactly", { email: root }, async (view) => {
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

scene("text typed during a save is kept, and saved by the next one", { email: root }, async (view) => {
  const id = await make(view, "Slow Line", "slow@example.org");
  await view.openUser("slow@example.org");
  const release = await view.hold((request) => request.method() === "PUT");
  await view.type("dialog input[name=name]", " Slower Line ");
  await view.press("Save changes");
  await view.page.waitForFunction(() => document.querySelector("dialog form button[aria-busy=true]"));
  await view.type("dialog input[name=email]", "slower@example.org");
  await release();
  await view.read("Saved.", "dialog .status");
  await view.rest();
  const typed = () => view.page.$$eval("dialog form input", (all) => all.map((each) => each.value));
  assert.deepEqual(await typed(), ["Slower Line", "slower@example.org"]);
  assert.equal((await site.user(id)).email, "slow@example.org");
  await view.press("Save changes");
  await view.read("slower@example.org", "dialog .facts");
  const { name, email } = await site.user(id);
  assert.deepEqual({ name, email }, { name: "Slower Line", email: "slower@example.org" });
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("an entity tag that a proxy made weak is still accepted", { email: root }, async (view) => {
  await view.page.evaluate(() => {
    const own = window.fetch;
    window.fetch = async (url, options) => {
      const reply = await own(url, options);
      const headers = new Headers(reply.headers);
      if (headers.has("ETag")) headers.set("ETag", `W/${headers.get("ETag")}`);
      return new Response(reply.body, { status: reply.status, headers });
    };
  });
  await view.openUser("frances.allen@example.org");
  await view.type("dialog input[name=name]", "Frances E. Allen");
  await view.save();
  assert.equal((await site.user("user-11")).name, "Frances E. Allen");
});

scene("a user whom somebody else has deleted is removed from the list when it is noticed", { email: root }, async (view) => {
  const showNew = async () => {
    const id = await make(view, "Gone Elsewhere", "gone@example.org");
    await view.searchFor("gone@");
    await view.listed("Gone Elsewhere");
    return id;
  };
  const remove = (id) => view.ask("DELETE", `/api/users/${id}`);
  await remove(await showNew());
  await view.click("tbody .person button");
  await view.read("This no longer exists.", "dialog.drawer");
  await view.listed();
  await view.closeDialog();

  const id = await showNew();
  await view.openFirst();
  await remove(id);
  await view.type("dialog input[name=name]", "Gone Again");
  await view.press("Save changes");
  await view.read("This no longer exists.", "dialog.drawer");
  await view.listed();
});

scene("a user without an address can be edited, and is deleted by typing the identifier", { email: root }, async (view) => {
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
    await view.read("This is not an e-mail address.", "dialog");
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
    await view.gone("dialog");
    assert.equal(await site.user(id), undefined);
  }
});

scene("the protected address is compared with case", { email: root }, async (view) => {
  const id = await make(view, "Jefe", "Admin@Example.com");
  await view.searchFor("jefe");
  await view.openFirst();
  assert.ok(!(await view.text("dialog")).includes("Cannot be deleted"));
  await view.deleteUser("Admin@Example.com");
  await view.read("Jefe has been deleted.");
  assert.equal(await site.user(id), undefined);
});

scene("a change is reported even if the user cannot be read afterwards", { email: root }, async (view) => {
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

scene("on a standby no changes are offered, and the age of the data is shown", { email: root }, async (view) => {
  const warning = '110 - "Read from a standby; the last change that it has received is of 2026-11-27T16:00:00.000Z"';
  await view.page.evaluate((text) => {
    const own = window.fetch;
    window.fetch = async (...request) => {
      const reply = await own(...request);
      return new Response(reply.body, { status: reply.status, headers: { ...Object.fromEntries(reply.headers), Warning: text } });
    };
  }, warning);
  await view.searchFor("dennis.ritchie");
  await view.read("Read-only: a copy of the database. Its last change is of 27 Nov 2026", ".notice.warn");
  await view.openFirst();
  await view.rest();
  assert.deepEqual(await view.page.$$eval("table input", (all) => all.filter((each) => each.checkVisibility()).map((each) => each.ariaLabel)), []);
  assert.deepEqual(await view.page.$$eval("main button.main, dialog.drawer form, dialog.drawer .actions button", (all) => all.filter((each) => each.checkVisibility()).map((each) => each.textContent)), []);
  await view.check("a user on a standby");
});

scene("a ban that has not reached the application's storage yet is reported as late", { email: root }, async (view) => {
  await view.openUser("dennis.ritchie@example.org");
  await view.intercept((request) => request.method() === "PUT" && {
    headers: { Warning: '199 - "late"' }, body: JSON.stringify({ success: true, data: {} }),
  });
  await view.press("Ban");
  await view.press("Ban");
  await view.read("Dennis Ritchie is banned. The application still accepts", "dialog.drawer .status");
});

scene("after sessions end, a note says how long the application may accept them", { email: root, site: () => cached }, async (view) => {
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

scene("in Spanish, a note says how long the application may accept ended sessions", { email: root, site: () => cached, languages: ["es"] }, async (view) => {
  await view.openUser("maryam.mirzajani@example.org");
  await view.press("Bloquear");
  await view.press("Bloquear");
  await view.read("Maryam Mirzajaní está bloqueado. La aplicación puede aceptar las sesiones del usuario desde su caché durante 5 minutos como máximo.", "dialog.drawer .status");
});

scene("a double click on a button sends one request", { email: root }, async (view) => {
  await view.openUser("alan.turing@example.org");
  const twice = async (name) => (await view.button(name)).evaluate((button) => [button, button].forEach((each) => each.click()));
  await twice("Lift the ban");
  await view.read("The ban has been lifted.", "dialog.drawer .status");
  await view.rest();
  assert.equal((await view.text("dialog [role=alert]")).trim(), "");
  await view.ask("PUT", "/api/users/user-4", { banned: true, banReason: "spam" });
  await view.key("Escape");
  await twice("Sign out");
  await view.read("You have signed out.");
  await view.rest();
  assert.match(await view.text(), /You have signed out\./);
});

scene("a superAdmin deletes by typing the address", { email: root }, async (view) => {
  await view.openUser("ken.thompson@example.org");
  await view.deleteUser("ken@example.org");
  await view.read("This does not match.", "dialog");
  await view.check("the delete dialog");
  await view.picture("delete");
  assert.ok(await site.user("user-10"));
  await view.type("dialog input[name=address]", "ken.thompson@example.org");
  await view.press("Delete user");
  await view.read("Ken Thompson has been deleted.");
  await view.gone("dialog");
  assert.equal(await site.user("user-10"), undefined);
  await view.read("No user matches.");
});

scene("callers cannot delete or ban themselves, nor delete the protected address", { email: root }, async (view) => {
  await view.openUser(root);
  assert.equal(await view.button("Delete user"), null);
  assert.equal(await view.button("Ban"), null);
  await view.read("You would lose the rights of your present role.", "dialog");
  await view.key("Escape");
  await view.openUser("admin@example.com");
  assert.equal(await view.button("Delete user"), null);
  assert.ok(await view.button("Ban"));
});

scene("names of users are shown as text, not markup", { email: root }, async (view) => {
  await view.searchFor("hostile");
  assert.deepEqual((await view.names()).toSorted(), hostileNames.toSorted());
  assert.equal(await view.has("tbody img, tbody script, tbody svg"), false);
  for (const index of hostileNames.keys()) {
    await view.openUser(`hostile${index}@example.net`);
    await view.read(hostileNames[index], "dialog h2");
    await view.check(`hostile ${index}`);
    for (const name of ["Ban", "Delete user"]) {
      if (!(await view.button(name))) continue;
      await view.press(name);
      await view.check(`hostile ${index}, ${name}`);
      await view.key("Escape");
    }
    await view.closeDialog();
  }
  await view.type("input[type=search]", hostileNames[0]);
  await view.rest();
  await view.page.reload();
  await view.see("tbody");
});

scene("a right-to-left name does not change the direction of the sentence around it", { email: root }, async (view) => {
  const people = [["مريم", "maryam@example.org", "Delete \u2068مريم\u2069?"], ["\u202eNora", "nora@example.org", "Delete Nora?"]];
  for (const [name, email, title] of people) {
    await view.ask("POST", "/api/users", { name, email, password: "12345678", role: "user" });
    await view.openUser(email);
    await view.press("Delete user");
    assert.equal(await view.text("dialog:not(.drawer) h2"), title);
    await view.type("dialog input[name=address]", email);
    await view.press("Delete user");
    await view.read("has been deleted.");
    await view.gone("dialog");
  }
});

scene("an invisible name is replaced by the address", { email: root }, async (view) => {
  for (const name of [" ", "\u3164", "\u200b\u2060"]) {
    const id = await make(view, name, "nameless@example.org");
    await view.searchFor("nameless");
    await view.listed("nameless@example.org");
    await view.check("a list with an invisible name");
    await view.press("nameless@example.org");
    await view.read("nameless@example.org", "dialog h2");
    await view.check("a drawer with an invisible name");
    await view.press("Delete user");
    await view.read("Delete nameless@example.org?", "dialog:not(.drawer) h2");
    await view.type("dialog input[name=address]", "nameless@example.org");
    await view.press("Delete user");
    await view.gone("dialog");
    assert.equal(await site.user(id), undefined);
  }
});

scene("a name of ten thousand letters hides no controls", { email: root, width: 320, height: 640 }, async (view) => {
  const name = "Wide".repeat(2500);
  const id = await make(view, name, `${"w".repeat(3000)}@example.org`);
  await view.searchFor("wideWIDE");
  await view.listed(`${"Wide".repeat(20)}…`);
  assert.ok(await view.page.$eval("tbody tr", (row) => row.getBoundingClientRect().height < 400), "the row fills the page");
  await view.openFirst();
  await view.press("Ban");
  await view.type("dialog input[name=reason]", "wide");
  await view.press("Ban");
  await view.read("is banned.", "dialog.drawer .status");
  assert.ok(await view.page.$eval("dialog .head", (head) => head.getBoundingClientRect().height < 320), "the name fills the drawer");
  await view.press("Lift the ban");
  await view.read("The ban has been lifted.", "dialog.drawer .status");
  assert.equal((await site.user(id)).name, name);
  await view.press("Delete user");
  await view.check("the delete dialog with a long name");
  await view.key("Escape", "Escape");
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("status messages appear in live regions that already existed", { email: root }, async (view) => {
  const places = async () => JSON.stringify(await view.page.accessibility.snapshot({ interestingOnly: false })).match(/"role":"status"/g)?.length;
  // One region for the number of users found, one for the outcome of changes.
  assert.equal(await places(), 2);
  await view.openUser("emmy.noether@example.org");
  assert.equal(await places(), 1);
});

scene("a status message is visible on a phone", { email: root, width: 390, height: 480 }, async (view) => {
  await view.openUser("lucia.fernandez@example.org");
  await view.page.$eval("dialog.drawer", (drawer) => {
    drawer.querySelector("form button").focus();
    drawer.scrollTo(0, drawer.scrollHeight);
  });
  await view.key("Enter");
  await view.readInSight("Nothing has changed.", "dialog .status");
});

scene("a failure is visible on a phone", { email: root, width: 390, height: 480 }, async (view) => {
  await view.openUser("emmy.noether@example.org");
  await view.intercept((request) => request.method() === "PUT" && { status: 503, body: "{}" });
  await view.page.$eval("dialog.drawer", (drawer) => drawer.scrollTo(0, drawer.scrollHeight));
  await view.press("Lift the ban");
  await view.readInSight("The service is busy.", "dialog .notice.warn");
});

scene("a user that a filter hides after creation can be opened from the message", { email: root }, async (view) => {
  await view.searchFor("nobody is called so");
  await view.createUser("Hidden Figure", "hidden@example.org");
  await view.listed();
  await view.check("a message with a link");
  await view.press("Open");
  await view.read("hidden@example.org", "dialog.drawer .facts");
  assert.equal(await view.text(".toast"), "");
  await view.closeDialog();
  assert.equal(await view.page.evaluate(() => document.activeElement.type), "search");
  await view.ask("DELETE", `/api/users/${(await site.userAt("hidden@example.org")).id}`);
});

scene("a double click on a row opens the user and selects no text", { email: root }, async (view) => {
  const press = async (selector, clickCount) => {
    const { x, y, width, height } = await (await view.page.$(selector)).boundingBox();
    await view.page.mouse.move(x + Math.min(width, 20) / 2, y + height / 2);
    await view.page.mouse.down({ clickCount });
    await view.page.mouse.up({ clickCount });
  };
  const selected = () => view.page.evaluate(() => getSelection().toString());
  await view.searchFor("hedy.lamarr@example.org");
  await press("tbody td:nth-child(4)", 1);
  await view.see("dialog.drawer .facts dd");
  await view.rest();
  await press("dialog dd", 2);
  assert.equal(await selected(), "");
  // A double click inside the open drawer selects a word.
  await press("dialog dd", 1);
  await press("dialog dd", 2);
  assert.equal(await selected(), "hedy");
});

scene("a message disappears when the next edit begins", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.press("Save changes");
  await view.read("Nothing has changed.", "dialog .status");
  await view.page.type("dialog input[name=name]", "x");
  assert.equal(await view.text("dialog .status"), "");
});

scene("an avatar has initials of the name, or of the address if there is none", { email: root }, async (view) => {
  const initials = { "<Olivia (Ops)": "OO", "🇪🇸 Eva Ruiz 🇪🇸": "ER", "🇪🇸": "I", Ñandú: "Ñ", "3M Spain": "3S" };
  for (const [name, wanted] of Object.entries(initials)) {
    const id = await make(view, name, "initials@example.org");
    await view.searchFor("initials@");
    await view.read(wanted, "tbody .avatar");
    assert.equal(await view.text("tbody .avatar"), wanted);
    await view.ask("DELETE", `/api/users/${id}`);
    await view.searchFor("nobody is called so");
  }
});

scene("the toast disappears even if something else is saved in the meantime", { email: root }, async (view) => {
  // Hold long timers until the test runs them.
  await view.page.evaluate(() => {
    const { setTimeout: set, clearTimeout: clear } = window;
    const kept = new Map();
    window.setTimeout = (action, time) => {
      if (!(time > 3000)) return set(action, time);
      kept.set(-1 - kept.size, action);
      return -kept.size;
    };
    window.clearTimeout = (id) => kept.delete(id) || clear(id);
    window.runTimers = () => [...kept.values()].forEach((action) => action());
  });
  const other = await make(view, "Toast B", "b.toast@example.org");
  await make(view, "Toast A", "a.toast@example.org");
  await view.searchFor("toast@");
  await view.listed("Toast A", "Toast B");
  await view.press("Toast A");
  await view.see("dialog.drawer .facts dd");
  await view.deleteUser("a.toast@example.org");
  await view.read("Toast A has been deleted.", ".toast");
  await view.listed("Toast B");
  await view.press("Toast B");
  await view.see("dialog.drawer .facts dd");
  await view.press("Save changes");
  await view.read("Nothing has changed.", "dialog .status");
  await view.page.evaluate(() => window.runTimers());
  assert.equal(await view.text(".toast"), "");
  await view.ask("DELETE", `/api/users/${other}`);
});

scene("the focus stays on the heading while a user loads", { email: root }, async (view) => {
  await view.searchFor("hedy.lamarr@example.org");
  const release = await view.hold((request) => request.url().endsWith("/user-17"));
  await view.click("tbody .person button");
  await view.focusOn("Hedy Lamarr");
  await release();
  await view.see("dialog.drawer .facts dd");
  await view.rest();
  assert.equal(await view.page.evaluate(() => document.activeElement.outerHTML.startsWith("<h2")), true);
  await view.focusOn("Hedy Lamarr");
});

scene("after signing in, the focus is on the page's heading", { site: () => factored }, async (view) => {
  const onHeading = () => view.page.evaluate(() => document.activeElement.tagName);
  await view.signIn(admin);
  assert.equal(await onHeading(), "H1");
  await view.press("Sign out");
  await enterPassword(view);
  await view.focusOn("code");
  await view.type("input[name=code]", "ccccc-ddddd");
  await view.press("Sign in");
  await view.see("header.bar");
  await view.rest();
  assert.equal(await onHeading(), "H1");
});

// --- A slow network ---

const slow = { download: 500000, upload: 500000, latency: 400 };

scene("on a slow network the page is rendered before the first reply", { email: root }, async (view) => {
  const release = await view.hold((request) => request.url().endsWith("?caller"));
  await view.page.reload();
  await view.read("Users", "header.bar h1");
  await view.read("Loading …", "main");
  await release();
  await view.see("tbody tr");
});

scene("the list does not wait for the caller's record", { email: root }, async (view) => {
  const release = await view.hold((request) => request.url().endsWith("/root-1"));
  await view.page.reload();
  await view.read("1–20 of", ".foot");
  assert.ok(!(await view.text("header.bar")).includes("Ada Lovelace"));
  await release();
  await view.read("Ada Lovelace", "header.bar");
});

for (const [width, height] of [[1280, 860], [390, 844]])
  scene(`the layout shifts little on a slow network, ${width} px wide`, { email: root, site: () => extras, width, height }, async (view) => {
    await view.page.evaluateOnNewDocument(() => {
      window.shifts = [];
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((each) => [each.value, ...each.sources.map((source) => source.node?.className ?? source.node?.nodeName)])))
        .observe({ type: "layout-shift", buffered: true });
    });
    await view.page.emulateNetworkConditions(slow);
    await view.page.reload();
    await view.read("1–20 of", ".foot");
    await view.rest();
    await view.openFirst();
    await view.rest();
    const shifts = await view.page.evaluate(() => window.shifts);
    assert.ok(shifts.reduce((sum, [value]) => sum + value, 0) < 0.05, JSON.stringify(shifts));
    await view.page.emulateNetworkConditions(null);
  });

scene("a button shows that its request is in progress", { email: root }, async (view) => {
  await view.openUser("alan.turing@example.org");
  const release = await view.hold((request) => request.method() === "PUT");
  await view.press("Lift the ban");
  await view.page.waitForFunction(() => document.querySelector("dialog button[aria-busy=true]")?.textContent === "Lift the ban");
  assert.equal(await view.page.$eval("dialog button[aria-busy=true]", (button) => getComputedStyle(button, "::after").height), "3px");
  await release();
  await view.read("The ban has been lifted.", "dialog .status");
  await view.rest();
  await view.ask("PUT", "/api/users/user-4", { banned: true, banReason: "spam" });
});

scene("typing a search of twelve letters sends at most three requests", { email: root, site: () => extras }, async (view) => {
  view.requests.length = 0;
  // Type with the page's timers, which stay regular on a busy machine.
  await view.page.$eval("input[type=search]", async (input) => {
    for (const letter of "hedy lamarr@") {
      input.value += letter;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
  await view.searchesFor("hedy lamarr@");
  await view.listed("Hedy Lamarr");
  assert.ok(view.requests.length <= 3, view.requests.join("\n"));
});

scene("opening the console sends at most six requests, and saving a new name at most four", { email: root, site: () => extras }, async (view) => {
  const sent = () => view.requests.filter((each) => !each.startsWith("data:"));
  view.requests.length = 0;
  await view.page.reload();
  await view.see(".chart rect");
  await view.rest();
  await view.read("37", ".total .number");
  assert.ok(sent().length <= 6, sent().join("\n"));
  await view.openUser("hedy.lamarr@example.org");
  view.requests.length = 0;
  await view.type("dialog input[name=name]", "Hedwig Kiesler");
  await view.save();
  await view.rest();
  assert.ok(sent().length <= 4, sent().join("\n"));
  await view.ask("PUT", "/api/users/user-17", { name: "Hedy Lamarr" });
});

scene("the counts in the summary match the list", { email: root, site: () => extras }, async (view) => {
  await view.see(".chart svg");
  const users = await extras.users();
  await view.read(String(users.length), ".total .number");
  const shown = await view.text(".counts");
  assert.ok(shown.includes(`${users.filter((each) => each.banned).length} ban`), shown);
  assert.ok(shown.includes(`${users.filter((each) => !each.emailVerified).length} not verified`), shown);
  await view.read(`${newUsers(users)} in 14 days`, ".chart");
});

// --- Edits that are not saved ---

scene("discarding edits requires a confirmation", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.type("dialog input[name=name]", "Hedy L.");
  await view.key("Escape");
  await view.read("Discard what you typed?", "dialog:not(.drawer)");
  await view.check("the confirmation of discarding edits");
  await view.press("Keep editing");
  await view.gone("dialog:not(.drawer)");
  // Repeat without a click in between. The browser could then close the dialog by itself.
  for (let count = 0; count < 3; ++count) {
    await view.key("Escape");
    await view.see("dialog:not(.drawer)");
    await view.key("Escape");
    await view.gone("dialog:not(.drawer)");
  }
  await view.press("Close");
  await view.see("dialog:not(.drawer)");
  assert.equal(await view.valueOf("name"), "Hedy L.");
  await view.press("Discard");
  await view.gone("dialog");
  assert.equal((await site.user("user-17")).name, "Hedy Lamarr");
  await view.press("Hedy Lamarr");
  await view.see("dialog.drawer .facts dd");
  await view.closeDialog();
  await view.press("New user");
  await view.type("dialog input[name=name]", "Nobody");
  await view.press("Cancel");
  await view.press("Discard");
  await view.gone("dialog");
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
  await view.read("What you typed is still here.", "dialog.drawer .status");
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
  await view.gone("dialog:not(.drawer)");
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
  await view.read("What you typed is still here.", "dialog .status");
  assert.deepEqual(await view.page.$$eval("dialog input", (all) => all.map((each) => each.value)), ["Half Done", "half@example.org", ""]);
  await view.press("Cancel");
  await view.press("Discard");
  await view.gone("dialog");
  await fillIn();
  await view.signIn(admin);
  await view.rest();
  assert.equal(await view.has("dialog"), false);
  assert.equal(await view.page.evaluate(() => sessionStorage.length), 0);
});

// --- With UserAdminExtras ---

scene("without UserAdminExtras the console offers neither sessions nor passwords", { email: root }, async (view) => {
  await view.openUser("marta.nunez@example.org");
  assert.equal(await view.button("Set a password"), null);
  assert.ok(!(await view.text("dialog")).includes("Sessions"));
  await view.press("Ban");
  assert.equal(await view.has("dialog select[name=until]"), false);
});

scene("the matching users are saved as CSV", { site: () => rooted }, async (view) => {
  await comeWithSession(view, rooted);
  await view.see("tbody tr");
  for (const [name, email] of [["=1+1", "sum@saved.example"], ["-a, \"b\"", "minus@saved.example"], ["Ítaca", "itaca@saved.example"]])
    await view.ask("POST", "/", { name, email, password: "12345678", role: "user" });
  const saved = await view.download(() => view.press("Save as CSV"));
  await view.read(" users have been saved.", ".toast");
  const lines = saved.split("\r\n");
  assert.equal(lines[0], "\ufeffid,name,email,role,emailVerified,image,createdAt,updatedAt,banned,banReason,banExpires");
  assert.equal(lines.length, 2 + (await view.ask("GET", "/")).pagination.total);
  assert.ok(saved.includes(",'=1+1,sum@saved.example,user,"));
  assert.ok(saved.includes(`,"'-a, ""b""",minus@saved.example,`));
  assert.equal(new Set(lines.map((line) => line.split(",")[0])).size, lines.length);
  // Save the result of a search, from its first page on.
  await view.searchFor("saved.example");
  await view.listed("Ítaca", "-a, \"b\"", "=1+1");
  assert.equal((await view.download(() => view.press("Save as CSV"))).split("\r\n").length, 5);
  await view.searchFor("nobody at all");
  await view.read("No user matches.");
  assert.equal(await view.button("Save as CSV"), null);
  await rooted.sql(`DELETE FROM user WHERE email LIKE '%@saved.example'`);
});

scene("saving as CSV continues after a failure, and can be cancelled", { site: () => rooted }, async (view) => {
  await comeWithSession(view, rooted);
  await view.see("tbody tr");
  let failures = 1;
  await view.intercept((request) => (request.url().includes("cursor=") && failures-- > 0 ? { status: 503, body: "" } : null));
  await view.press("Save as CSV");
  await view.read("The service is busy.", "dialog");
  await view.check("saving");
  const saved = await view.download(() => view.press("Load again"));
  assert.equal(saved.split("\r\n").length, 2 + (await view.ask("GET", "/")).pagination.total);
  failures = 1;
  await view.press("Save as CSV");
  await view.read("The service is busy.", "dialog");
  await view.press("Cancel");
  await view.page.waitForFunction(() => !document.querySelector("dialog"));
});

scene("pages without a cursor are saved as CSV, too", { site: () => rooted }, async (view) => {
  // A cursor with such a name would be too long.
  await rooted.sql(
    `INSERT INTO user (id, name, email, emailVerified, role, createdAt, updatedAt) SELECT 'long-' || value, '${"z".repeat(600)}' || value,
     value || '@long.example', 0, 'user', '2026-01-01', '2026-01-01' FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]')`);
  await comeWithSession(view, rooted);
  await view.see("tbody tr");
  await view.page.evaluate(() => (location.hash = "#search=long.example&sort=name+asc"));
  await view.rest();
  assert.equal((await view.download(() => view.press("Save as CSV"))).split("\r\n").length, 2 + 15);
  await rooted.sql(`DELETE FROM user WHERE email LIKE '%@long.example'`);
});

describe("with UserAdminExtras", () => {
  const there = { site: () => extras };

  scene("a superAdmin sets a password, which ends all sessions; the user can sign in with it", { ...there, email: root }, async (view) => {
    await extras.ctl(["session", "open", "mary.jackson@example.org"]);
    await view.openUser("mary.jackson@example.org");
    await view.read("Sessions 1", "dialog");
    await view.press("Set a password");
    await view.type("dialog input[name=password]", "short");
    await view.press("Set a password");
    await view.read("It must have 8 to 128 characters.", "dialog");
    await view.press("Generate");
    await view.check("the password dialog");
    await view.picture("password");
    const made = await view.valueOf("password");
    assert.match(made, /^([a-zA-Z2-9]{5}-){3}[a-zA-Z2-9]{5}$/);
    await view.press("Set a password");
    await view.read("The password has been set.", "dialog.drawer .status");
    await view.focusOn("Set a password");
    await view.read("No session is open.", "dialog");
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
    await view.picture("sessions");
    assert.equal((await view.page.$$(".sessions li")).length, 3);
    await view.click(".sessions li button");
    await view.read("The session has ended.", "dialog .status");
    await view.read("Sessions 2", "dialog");
    await view.press("End all");
    await view.read("All sessions have ended.", "dialog .status");
    await view.read("No session is open.", "dialog");
    assert.equal((await extras.ctl(["session", "list", "zhang.wei@example.org"])).includes("20"), false);
  });

  scene("ending the last session shows a visible message", { ...there, email: root, width: 1280, height: 720 }, async (view) => {
    for (let count = 0; count < 6; ++count) await extras.ctl(["session", "open", "pawe.nowak@example.org"]);
    await view.openUser("pawe.nowak@example.org");
    await view.read("Sessions 6", "dialog");
    for (let left = 6; left > 0; --left) {
      const ends = await view.page.$$(".sessions li button");
      assert.equal(ends.length, left);
      await ends.at(-1).click();
      await view.read(left > 1 ? `Sessions ${left - 1}` : "No session is open.", "dialog");
      await view.readInSight("The session has ended.", "dialog .status");
    }
  });

  scene("ending one's own sessions requires a confirmation", { ...there, email: root }, async (view) => {
    await view.openUser(root);
    await view.see(".sessions li");
    const count = (await view.page.$$(".sessions li")).length;
    for (const name of ["End", "End all"]) {
      if (name === "End") await view.click(".sessions li:has(.pill) button");
      else await view.press(name);
      await view.read("End a session of your own?", "dialog:not(.drawer)");
      await view.press("Cancel");
      await view.gone("dialog:not(.drawer)");
    }
    await view.rest();
    assert.equal((await view.page.$$(".sessions li")).length, count);
    await view.press("End all");
    await view.press("End it");
    await view.read("Your session has ended. Sign in again.");
  });

  scene("one's own session is marked, and only ending it requires a confirmation", { ...there, email: root }, async (view) => {
    await extras.openSession(root, agents[0]);
    await view.openUser(root);
    await view.see(".sessions li .pill");
    const marks = () => view.page.$$eval(".sessions li", (all) => all.map((each) => each.querySelector(".pill")?.textContent ?? each.querySelector("span").textContent));
    assert.equal((await marks()).filter((each) => each === "this session").length, 1);
    await view.check("the caller's own sessions");
    assert.equal((await marks())[0], "Firefox on Linux");
    await view.click(".sessions li:first-child button");
    await view.read("The session has ended.", "dialog .status");
    await view.click(".sessions li:has(.pill) button");
    await view.read("End a session of your own?", "dialog:not(.drawer)");
    await view.press("End it");
    await view.read("Your session has ended. Sign in again.");
  });

  scene("a ban ends at the chosen time", { ...there, email: root }, async (view) => {
    await view.openUser("john.backus@example.org");
    await view.press("Ban");
    await view.type("dialog input[name=reason]", "a week off");
    await view.choose("dialog select[name=until]", "date");
    await view.page.$eval("dialog input[name=date]", (input) => (input.value = "2020-01-01T10:00"));
    await view.press("Ban");
    await view.read("This time has passed.", "dialog");
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

  scene("the count and the filter say that they include expired bans", { ...there, email: root }, async (view) => {
    const update = `UPDATE "user" SET "banned" = TRUE, "banExpires" = '2020-01-01T00:00:00.000Z' WHERE "id" = 'user-16'`;
    assert.equal((await run("sqlite3", [extras.database, update])).status, 0);
    await view.searchFor("niklaus.wirth");
    await view.read("Ban has ended", "tbody");
    await view.page.reload();
    await view.read("banned, ended bans included", ".counts");
    await view.click(".counts button:first-child");
    await view.rest();
    assert.ok((await view.names()).includes("Niklaus Wirth"));
    const chosen = () => view.page.$$eval(".tools select", (all) => all.map((each) => each.selectedOptions[0].textContent));
    assert.ok((await chosen()).includes("Banned, or ban ended"));
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
    await view.read("It has been removed.", "dialog .status");
    assert.ok(!(await view.text("details")).includes("google"));
    await view.press("Remove Password");
    await view.press("Remove");
    await view.read("This user cannot sign in.", "details");
  });

  scene("a superAdmin reads the history of a user", { ...there, email: root }, async (view) => {
    const id = await make(view, "Vera Stone", "vera@example.org");
    await view.ask("PUT", `/api/users/${id}`, { name: "Vera Rock", role: "admin" });
    for (let count = 0; count < 20; ++count) await view.ask("PUT", `/api/users/${id}/ban`, { reason: `reason ${count}` });
    await extras.ctl(["unban", "--audit-log", join(extras.folder, "audit.log"), "vera@example.org"]);
    await view.openUser("vera@example.org");
    assert.ok(!view.requests.some((each) => each.includes("/events")));
    await view.click("details:last-of-type summary");
    await view.read("Ban lifted", ".events li:first-child");
    await view.read("(useradminctl)", ".events li:first-child");
    await view.read("Banned: Yes → No", ".events li:first-child");
    await view.read("by you", ".events li:nth-child(2)");
    await view.read("Reason: reason 18 → reason 19", ".events li:nth-child(2)");
    await view.check("the history");
    assert.equal((await view.page.$$(".events li")).length, 20);
    await view.press("Show earlier");
    await view.read("Created", ".events li:last-child");
    await view.read("Name: Vera Stone → Vera Rock", ".events");
    await view.read("Role: User → Admin", ".events");
    assert.equal((await view.page.$$(".events li")).length, 23);
    assert.equal(await view.button("Show earlier"), null);
    assert.ok(await view.page.evaluate(() => document.activeElement.matches(".events li:nth-child(21)")));
    // An open history shows the change.
    await view.press("Ban");
    await view.press("Ban");
    await view.read("Banned: No → Yes", ".events li:first-child");
  });

  scene("a history names the callers, and lists refused requests", { ...there, email: root }, async (view) => {
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

  scene("without an audit log no history is offered", { site: () => shown, email: root }, async (view) => {
    await view.openUser("mary.jackson@example.org");
    await view.read("Ways to sign in", "dialog");
    assert.ok(!(await view.text("dialog")).includes("History"));
  });

  scene("of two replies with sessions, the later one is shown", { ...there, email: root }, async (view) => {
    await extras.ctl(["session", "open", "hedy.lamarr@example.org"]);
    const release = await view.hold((request) => request.url().endsWith("/sessions"));
    await view.searchFor("hedy");
    await view.openFirst();
    await view.press("Set a password");
    await view.press("Generate");
    await view.press("Set a password");
    await view.read("No session is open.", "dialog");
    await release({ body: JSON.stringify({ success: true, data: [{ id: "gone", createdAt: null, userAgent: agents[0], ipAddress: null }] }) });
    await view.rest();
    await view.read("No session is open.", "dialog");
  });

  scene("a superAdmin resets a second factor, which ends the sessions, and is told if there is none", { ...there, email: root }, async (view) => {
    await extras.ctl(["session", "open", "ingrid.bergstrom@example.org"]);
    await view.openUser("ingrid.bergstrom@example.org");
    await view.read("Sessions 1", "dialog");
    await view.press("Reset second factor");
    await view.check("the dialog for a second factor");
    await view.press("Cancel");
    await view.gone("dialog:not(.drawer)");
    await view.press("Reset second factor");
    await view.press("Reset second factor");
    await view.read("The second factor has been removed.", "dialog.drawer .status");
    await view.read("No session is open.", "dialog");
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

  scene("banning, deleting or setting a password reports if the user has changed in the meantime, and can be repeated", { ...there, email: root }, async (view) => {
    await view.openUser("yuki.tanaka@example.org");
    await view.press("Ban");
    await view.ask("PUT", "/api/users/user-25", { name: "Yuki T." });
    await view.press("Ban");
    await view.read("Somebody has changed this user in the meantime", "dialog:not(.drawer) [role=alert]");
    assert.equal((await extras.user("user-25")).banned, false);
    // The user is reloaded, and the caller can continue.
    await view.key("Escape");
    await view.gone("dialog:not(.drawer)");
    await view.focusOn("Yuki T.");
    await view.read("Yuki T.", "dialog.drawer h2");
    for (const [name, field, text] of [["Set a password", "password", password], ["Delete user", "address", "yuki.tanaka@example.org"]]) {
      await view.rest();
      await view.press(name);
      await view.type(`dialog input[name=${field}]`, text);
      await view.ask("PUT", "/api/users/user-25", { name });
      await view.press(name);
      await view.read("Somebody has changed this user in the meantime", "dialog:not(.drawer) [role=alert]");
      await view.key("Escape");
      if (field === "password") await view.press("Discard");
      await view.gone("dialog:not(.drawer)");
      await view.rest();
      await view.press(name);
      await view.type(`dialog input[name=${field}]`, text);
      await view.press(name);
      await view.gone("dialog:not(.drawer)");
    }
    await view.gone("dialog");
    assert.equal(await extras.user("user-25"), undefined);
  });
});

// --- Columns ---

describe("columns", () => {
  const there = { site: () => further, email: root };
  const heads = (view) => view.page.$$eval("thead th", (all) => all.map((each) => each.textContent));
  const cells = (view) => view.page.$$eval("tbody tr:first-child td", (all) => all.slice(1).map((each) => each.textContent));
  const stored = async (view, id) => (await view.ask("GET", `/api/users/${id}?columns=company,plan,seats,vip,seen`)).data;
  const label = (text) => `dialog .choice ::-p-text(${text})`;

  for (const [language, name, first, own] of [["en", "Columns", ["User", "Role", "Status", "Last activity", "Created"], "Last change"], ["es", "Columnas", ["Usuario", "Rol", "Estado", "Última actividad", "Creación"], "Último cambio"]])
    scene(`the columns of the list are chosen with the keyboard and remembered, in ${language}`, { ...there, languages: [language] }, async (view) => {
      await view.searchFor("grace.hopper");
      assert.deepEqual(await heads(view), first);
      await view.tabTo(".choose");
      await view.focusOn(name);
      await view.key("Enter");
      await view.see("dialog .choice");
      assert.deepEqual(await view.page.$$eval("dialog .choice", (all) => all.map((each) => each.textContent)), [...first.slice(1), own, "company", "settings", "plan", "seats", "vip", "seen"]);
      await view.check("the column menu");
      // Toggle the first, the fifth and the sixth column.
      await view.tabTo("dialog .choice:nth-child(1) input");
      await view.key("Space");
      await view.tabTo("dialog .choice:nth-child(5) input");
      await view.key("Space");
      await view.tabTo("dialog .choice:nth-child(6) input");
      await view.key("Space");
      await view.closeDialog();
      await view.focusOn(name);
      const chosen = [first[0], ...first.slice(2), own, "company"];
      assert.deepEqual(await heads(view), chosen);
      await view.rest();
      assert.equal((await cells(view)).at(-1), "<b>Navy</b>");
      await view.check("a list with an extra column");
      await view.page.reload();
      await view.see("tbody tr");
      await view.rest();
      assert.deepEqual(await heads(view), chosen);
      assert.equal((await cells(view)).at(-1), "<b>Navy</b>");
    });

  scene("columns are labelled on a phone, and are saved as CSV", { ...there, width: 390, height: 844 }, async (view) => {
    await view.press("Filters");
    await view.press("Columns");
    for (const name of ["company", "settings", "plan", "vip", "seen"]) await (await view.page.waitForSelector(label(name))).click();
    await view.press("Close");
    await view.searchFor("grace.hopper");
    assert.deepEqual((await cells(view)).slice(3), ["<b>Navy</b>", `{"a":[1]}`, "basic", "–", "1 Mar 2026"]);
    assert.equal(await view.page.$eval("tbody td[data-label=plan]", (cell) => getComputedStyle(cell, "::before").content), `"plan: "`);
    await view.check("a list with extra columns on a phone");
    const [head, row] = (await view.download(() => view.press("Save as CSV"))).split("\r\n");
    assert.ok(head.endsWith("banExpires,lastSeenAt,company,settings,plan,vip,seen"), head);
    assert.ok(row.includes(`<b>Navy</b>,"{""a"":[1]}",basic,,2026-03-01T09:30:00.000Z`), row);
    assert.ok(!row.includes("s3cr3t"));
  });

  scene("an admin can choose only columns of the service", { ...there, email: admin }, async (view) => {
    await view.press("Columns");
    assert.deepEqual(await view.page.$$eval("dialog .choice", (all) => all.map((each) => each.textContent)), ["Role", "Status", "Last activity", "Created", "Last change"]);
    await view.closeDialog();
    await view.openUser("grace.hopper@example.org");
    assert.ok(!(await view.text("dialog")).includes("Navy"));
    assert.equal(await view.has("dialog input[name^=data]"), false);
  });

  scene("a superAdmin sees extra columns and edits some according to their types", there, async (view) => {
    await view.openUser("grace.hopper@example.org");
    const facts = await view.text("dialog .facts");
    assert.ok(facts.includes("<b>Navy</b>") && facts.includes(`{"a":[1]}`), facts);
    assert.ok(!(await view.text("dialog")).includes("s3cr3t"));
    const input = (name) => `dialog [name="data.${name}"]`;
    assert.deepEqual(
      await view.page.$$eval("dialog [name^=data]", (all) => all.map(({ name, type, value }) => [name, type, value])),
      [["data.plan", "text", "basic"], ["data.seats", "number", ""], ["data.vip", "select-one", ""], ["data.seen", "datetime-local", "2026-03-01T10:30"]]);
    await view.check("a user with extra columns");
    await view.type(input("plan"), "pro");
    await view.type(input("seats"), "1e");
    await view.press("Save changes");
    await view.read("This is not a whole number.", "dialog");
    await view.type(input("seats"), "12");
    await view.choose(input("vip"), "true");
    await view.page.$eval(input("seen"), (each) => (each.value = "2026-07-01T12:00"));
    await view.save();
    const { plan, seats, vip, seen, company } = await stored(view, "user-3");
    assert.deepEqual([plan, seats, vip, seen, company], ["pro", 12, true, "2026-07-01T10:00:00.000Z", "<b>Navy</b>"]);
    // Only changed inputs are sent. An empty input is sent as NULL.
    await view.press("Save changes");
    await view.read("Nothing has changed.", "dialog .status");
    await view.choose(input("vip"), "");
    await view.type(input("seats"), "");
    await view.save();
    const after = await stored(view, "user-3");
    assert.deepEqual([after.vip, after.seats, after.plan], [null, null, "pro"]);
    await view.click("dialog details:has(.events) summary");
    await view.read("plan", "dialog .events");
  });

  scene("saving a column that somebody else has changed reports it and loses no edits", there, async (view) => {
    await view.openUser("zhang.wei@example.org");
    await view.type('dialog [name="data.plan"]', "mine");
    await view.ask("PUT", "/api/users/user-24", { data: { plan: "theirs", vip: true } });
    await view.press("Save changes");
    await view.read("Somebody has changed this user", "dialog .notice");
    await view.press("Load again, keep what I typed");
    await view.read("vip is now “Yes”.", "dialog .status");
    assert.equal(await view.page.$eval('dialog [name="data.plan"]', (each) => each.value), "mine");
    await view.save();
    const { plan, vip } = await stored(view, "user-24");
    assert.deepEqual([plan, vip], ["mine", true]);
  });
});

// --- Bulk changes ---

describe("several users at once", () => {
  const there = { site: () => several, email: root };
  const bar = ".selection";
  const pick = (view, ...names) => names.reduce((before, name) => before.then(() => view.click(`tbody input[aria-label="Select ${name}"]`)), Promise.resolve());
  /** Lists all users with addresses in example.org on one page, and selects those with these names. */
  const findAndPick = async (view, ...names) => {
    await view.searchFor("example.org");
    await view.choose(".foot select", "50");
    await view.rest();
    await pick(view, ...names);
  };
  const top = (view) => view.page.$eval("tbody tr", (row) => row.getBoundingClientRect().top);

  scene("several users are banned, and then unbanned", there, async (view) => {
    await view.searchFor("example.com");
    await view.click("thead input");
    await view.read("4 selected", bar);
    await view.press("Ban", bar);
    await view.read("Ban: 2 users", "dialog h2");
    await view.read("Skipped: the protected user and you.", "dialog");
    await view.type("dialog input[name=reason]", "spring cleaning");
    await view.choose("dialog select[name=until]", "7");
    view.requests.length = 0;
    await view.press("Ban");
    await view.read("Done: 2.", ".toast");
    await view.focusOn("Ban");
    await view.rest();
    assert.deepEqual(view.requests.filter((each) => /^\/api\/users\?/.test(each)).map((each) => each.includes("summary=")).sort(), [false, true]);
    const banned = (await several.users()).filter((each) => each.banReason === "spring cleaning");
    assert.deepEqual(banned.map((each) => each.id).sort(), ["olivia-1", "ulises-1"]);
    for (const { banExpires } of banned) assert.ok(Math.abs(new Date(banExpires) - Date.now() - 7 * 86400000) < 60000);
    await view.press("Lift the ban", bar);
    await view.read("Lift the ban: 2 users", "dialog h2");
    await view.press("Lift the ban");
    await view.gone("dialog");
    await view.rest();
    assert.equal((await several.users()).some((each) => each.banReason === "spring cleaning"), false);
  });

  scene("banning and unbanning several users can be undone", there, async (view) => {
    const ids = [await make(view, "Several A", "a.several@example.net"), await make(view, "Several B", "b.several@example.net")];
    await view.ask("PUT", `/api/users/${ids[0]}/ban`, { reason: "earlier", expires: "9000-01-01T00:00:00.000Z" });
    const bans = async () => (await several.users()).filter((each) => ids.includes(each.id)).sort((one, other) => one.name.localeCompare(other.name)).map((each) => [each.banned, each.banReason, each.banExpires]);
    const before = await bans();
    assert.deepEqual(before, [[true, "earlier", "9000-01-01T00:00:00.000Z"], [false, null, null]]);
    await view.searchFor("several@");
    await view.click("thead input");
    for (const [name, count] of [["Ban", 2], ["Lift the ban", 1]]) {
      await view.press(name, bar);
      await view.press(name);
      await view.read("Done: 2.", ".toast");
      assert.notDeepEqual(await bans(), before);
      await view.gone("dialog");
      await view.tabTo(".toast button");
      await view.focusOn("Undo");
      await view.key("Enter");
      await view.read(`Done: ${count}.`, ".toast");
      await view.gone("dialog");
      await view.rest();
      assert.deepEqual(await bans(), before);
    }
    for (const id of ids) await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("selecting only oneself reports that it was skipped, and does nothing else", there, async (view) => {
    await view.searchFor("ada lovelace");
    await pick(view, "Ada Lovelace");
    await view.press("Delete", bar);
    await view.read("Skipped: you.", ".toast");
    assert.equal(await view.has("dialog"), false);
  });

  scene("the sessions of several users are ended", there, async (view) => {
    for (const name of ["marta.nunez", "jonas.weber"]) await several.openSession(`${name}@example.org`, agents[0]);
    await findAndPick(view, "Marta Núñez", "Jonas Weber");
    await view.press("End sessions", bar);
    await view.read("End sessions: 2 users", "dialog h2");
    await view.press("End sessions");
    await view.read("Done: 2.", ".toast");
    for (const id of ["user-0", "user-2"]) assert.deepEqual((await view.ask("GET", `/api/users/${id}/sessions`)).data, []);
  });

  scene("several users get a role after a confirmation", there, async (view) => {
    await findAndPick(view, "Marta Núñez", "Jonas Weber");
    await view.press("Role", bar);
    await view.read("Give the role: 2 users", "dialog h2");
    await view.choose("dialog select[name=role]", "admin");
    await view.press("Give the role");
    await view.read("Give 2 users the role “Admin”?", "dialog:last-of-type h2");
    assert.equal((await several.user("user-0")).role, "user");
    await view.press("Give the role");
    await view.gone("dialog");
    await view.read("Done: 2.", ".toast");
    for (const id of ["user-0", "user-2"]) assert.equal((await several.user(id)).role, "admin");
  });

  scene("several users are deleted after their number is typed", there, async (view) => {
    await view.searchFor("example.net");
    await view.click("thead input");
    await view.press("Delete", bar);
    await view.read("Delete: 3 users", "dialog h2");
    await view.type("dialog input[name=address]", "2");
    await view.press("Delete");
    await view.read("This does not match.", "dialog");
    await view.check("the dialog for deleting several users");
    // Meanwhile, somebody else deletes one of them.
    await view.ask("DELETE", "/api/users/hostile-1");
    await view.type("dialog input[name=address]", "3");
    await view.press("Delete");
    await view.read("Done: 3.", ".toast");
    await view.read("No user matches.");
    await view.gone(bar);
    await view.focusOn("INPUT");
    assert.equal((await several.users()).some((each) => each.id.startsWith("hostile")), false);
  });

  scene("the selection survives paging and reloads, and is cleared by the next search", there, async (view) => {
    const head = () => view.page.$eval("thead input", ({ checked, indeterminate }) => [checked, indeterminate]);
    const first = await view.names();
    await pick(view, first[0]);
    assert.deepEqual(await head(), [false, true]);
    await view.press("Next");
    await view.rest();
    assert.deepEqual(await head(), [false, false]);
    await view.click("thead input");
    assert.deepEqual(await head(), [true, false]);
    const count = 1 + (await view.names()).length;
    await view.read(`${count} selected`, bar);
    await view.press("Previous");
    await view.rest();
    assert.deepEqual(await view.page.$$eval("tbody input:checked", (all) => all.map((each) => each.ariaLabel)), [`Select ${first[0]}`]);
    await view.press("User", "thead");
    await view.rest();
    await view.read(`${count} selected`, bar);
    await view.press("Clear selection", bar);
    assert.equal(await view.page.evaluate(() => document.activeElement === document.querySelector("thead input")), true);
    await view.click("thead input");
    await view.see(bar);
    await view.searchFor("grace");
    await view.gone(bar);
    assert.deepEqual(await head(), [false, false]);
    assert.equal(await view.has("dialog"), false, "a click on a checkbox opens the user");
  });

  scene("all matching users are selected, page by page", { site: () => rooted }, async (view) => {
    await comeWithSession(view, rooted);
    await view.rest();
    const total = await view.text(".total .number");
    await pick(view, (await view.names())[0]);
    assert.equal(await view.button(`Select all ${total} that match`), null);
    await view.click("thead input");
    view.requests.length = 0;
    await view.press(`Select all ${total} that match`);
    await view.read(`${total} selected`, bar);
    await view.focusOn(`${total} selected`);
    assert.equal(view.requests.filter((each) => each.includes("cursor=")).length, Math.ceil(total / 7) - 1);
    await view.press("Next");
    await view.rest();
    assert.equal((await view.page.$$("tbody input:not(:checked)")).length, 0);
    await view.press("Ban", bar);
    await view.read(`Ban: ${total - 2} users`, "dialog h2");
  });

  scene("at most 10,000 users are selected", there, async (view) => {
    await view.intercept((request) => {
      const { searchParams } = new URL(request.url());
      if (!/^(20|1000)$/.test(searchParams.get("limit"))) return null;
      const page = Number(searchParams.get("cursor") ?? searchParams.get("page"));
      const limit = Number(searchParams.get("limit"));
      const data = Array.from({ length: limit }, (_, at) => ({ id: `many-${page}-${at}`, name: `Many ${page}-${at}`, email: "", role: "user", createdAt: "2026-01-01T00:00:00.000Z" }));
      return {
        headers: { "X-Total-Count": "12000", Link: `</api/users?cursor=${page + 1}>; rel="next"` },
        body: JSON.stringify({ success: true, data, pagination: { page, limit, total: 12000, totalPages: 12000 / limit } }),
      };
    });
    await view.searchFor("many");
    await view.click("thead input");
    await view.press("Select all 12,000 that match");
    await view.read("10,000 selected. At most 10,000 can be selected.", bar);
    assert.equal(await view.button("Select all 12,000 that match"), null);
  });

  scene("failed users are listed and can be retried, and requests to a busy service are repeated", there, async (view) => {
    const sent = {};
    let isBroken = true;
    await view.intercept((request) => {
      const id = /PUT.*\/([\w-]+)\/ban$/.exec(`${request.method()} ${request.url()}`)?.[1];
      if (!id) return null;
      sent[id] = (sent[id] ?? 0) + 1;
      if (id === "user-3" && sent[id] === 1) return { status: 503, headers: { "Retry-After": "1" }, body: "{}" };
      return id === "user-17" && isBroken && { status: 500, body: JSON.stringify({ success: false, error: "Error al banear usuario" }) };
    });
    await findAndPick(view, "Grace Hopper", "Hedy Lamarr", "John Backus");
    await view.press("Ban", bar);
    await view.press("Ban");
    await view.read("Done: 2. Failed: 1.", "dialog .status");
    assert.deepEqual(sent, { "user-3": 2, "user-17": 1, "user-18": 1 });
    assert.equal(await view.text(".failures li"), "Hedy Lamarr\n\nThat did not work (status 500).");
    assert.equal(await view.page.$eval(".failures a", (link) => link.href), `${several.address}#user=user-17`);
    await view.focusOn("Try again");
    await view.check("a change that failed for one user");
    isBroken = false;
    await view.press("Try again");
    await view.read("Done: 1.", ".toast");
    await view.gone("dialog");
    assert.deepEqual(sent, { "user-3": 2, "user-17": 2, "user-18": 1 });
  });

  scene("at most four requests run at a time, until they are stopped", there, async (view) => {
    let held = [];
    let isHolding = true;
    await view.intercept((request) => {
      if (!isHolding || !/^(PUT|DELETE)$/.test(request.method())) return null;
      held.push(request);
      return "held";
    });
    await view.searchFor("example.org");
    await view.click("thead input");
    await view.press("Lift the ban", bar);
    await view.press("Lift the ban");
    await view.see("dialog progress");
    await view.page.waitForFunction(() => traffic.underWay === 4);
    const state = () => view.page.$eval("dialog progress", ({ value, max }) => [value, max]);
    assert.deepEqual(await state(), [0, 20]);
    await view.page.evaluate(() => (window.asked = !dispatchEvent(new Event("beforeunload", { cancelable: true }))));
    assert.equal(await view.page.evaluate(() => window.asked), true);
    held.shift().continue();
    await view.page.waitForFunction(() => document.querySelector("dialog progress").value === 1 && traffic.underWay === 4);
    await view.read("1 of 20", "dialog");
    await view.key("Escape");
    isHolding = false;
    for (const each of held.splice(0)) each.continue();
    await view.read("Done: 5. Not begun: 15.", "dialog .status");
    await view.press("Try again");
    await view.read("Done: 15.", ".toast");
    await view.gone("dialog");
  });

  scene("rows do not move when the bar appears and disappears", there, async (view) => {
    for (const from of [0, 300]) {
      await view.page.evaluate((y) => scrollTo(0, y), from);
      const before = await top(view);
      await view.page.$eval("tbody tr:nth-child(8) input", (box) => box.click());
      await view.see(bar);
      assert.ok(Math.abs((await top(view)) - before) < 1, `${await top(view)}, not ${before}`);
      await view.page.$eval("tbody tr:nth-child(8) input", (box) => box.click());
      await view.gone(bar);
      assert.ok(Math.abs((await top(view)) - before) < 1, `${await top(view)}, not ${before}`);
    }
    // The selection bar stays visible.
    await view.page.evaluate(() => scrollTo(0, 0));
    await view.click("thead input");
    await view.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await view.readInSight("20 selected", ".selection strong");
  });

  scene("an admin cannot select users", { ...there, email: admin }, async (view) => {
    await view.see("tbody tr");
    assert.equal(await view.has("table input"), false);
    assert.equal(await view.has(bar), false);
  });

  for (const theme of ["light", "dark"])
    for (const [width, height] of [[1280, 860], [390, 844], [320, 640]])
      scene(`the selection bar is laid out correctly, ${theme}, ${width} px wide`, { ...there, theme, width, height }, async (view) => {
        await view.click("thead input");
        await view.see(bar);
        await view.check("a selection");
        await view.picture(`selection-${theme}-${width}`);
        await view.intercept((request) => request.method() === "PUT" && { status: 500, body: JSON.stringify({ success: false, error: "Error al banear usuario" }) });
        await view.press("Ban", bar);
        await view.press("Ban");
        await view.read("Failed: ", "dialog .status");
        await view.check("failures");
        await view.picture(`failures-${theme}-${width}`);
      });
});

// --- Keys, page numbers, dates ---

scene("a page can be opened by its number", { site: () => rooted }, async (view) => {
  await comeWithSession(view, rooted);
  await view.read("1–7 of", ".foot");
  const last = Math.ceil(Number(await view.text(".total .number")) / 7);
  await view.read(`of ${last}`, ".foot label:has(input)");
  for (const [typed, page] of [["3", 3], ["99", last], ["0", last], ["-5", 1], ["2", 2]]) {
    await view.type(".foot input", typed);
    await view.key("Enter");
    await view.rest();
    await view.read(`${(page - 1) * 7 + 1}–`, ".foot .range");
    assert.equal(await view.page.$eval(".foot input", (input) => input.value), String(page), typed);
  }
  assert.ok(!view.requests.some((each) => /page=(99|0|-5)&/.test(each)), "requests for pages that do not exist");
  assert.equal(await view.page.evaluate(() => location.hash), "#page=2");
  assert.equal(await view.page.evaluate(() => document.activeElement.type), "number");
  await view.searchFor("ada lovelace");
  await view.gone(".foot input");
});

/** Returns the day of a time in the local time zone. */
const dayOf = (time) => new Date(new Date(time).getTime() - new Date(time).getTimezoneOffset() * 60000).toISOString().slice(0, 10);

scene("users are filtered by creation date, and a click on the chart selects a day", { email: root, site: () => several }, async (view) => {
  const [from, to] = [dayOf(Date.now() - 9 * 86400000), dayOf(Date.now() - 2 * 86400000)];
  const users = await several.users();
  const names = (first, last) => users.filter(({ createdAt }) => dayOf(createdAt) >= first && dayOf(createdAt) <= last).map(({ name }) => name).sort();
  const listed = async (first, last) => {
    await view.rest();
    assert.deepEqual((await view.names()).sort(), names(first, last));
    assert.deepEqual(await view.page.$$eval("input[type=date]", (all) => all.map(({ value }) => value)), [first, last]);
  };
  await view.page.$$eval("input[type=date]", (inputs, days) => inputs.forEach((input, at) => {
    input.value = days[at];
    input.dispatchEvent(new Event("change"));
  }), [from, to]);
  await listed(from, to);
  assert.ok(names(from, to).length > 2);
  const asked = new URL(view.requests.findLast((each) => each.includes("createdBefore")), several.address).searchParams;
  assert.equal(new Date(asked.get("createdAfter")).getTime(), new Date(`${from}T00:00`).getTime() - 1);
  assert.equal(new Date(asked.get("createdBefore")).getTime(), new Date(`${dayOf(new Date(`${to}T12:00`).getTime() + 86400000)}T00:00`).getTime());
  assert.equal(await view.page.evaluate(() => location.hash), `#createdFrom=${from}&createdTo=${to}`);
  await view.page.reload();
  await view.see("tbody tr");
  await listed(from, to);
  // The last bar is today's.
  const chart = await (await view.see(".chart svg")).boundingBox();
  await view.page.mouse.click(chart.x + chart.width - 5, chart.y + 5);
  await listed(dayOf(Date.now()), dayOf(Date.now()));
  await view.page.evaluate(() => (location.hash = "#createdFrom=275760-09-13&createdTo=nonsense"));
  await view.read("1–20 of", ".foot");
  assert.deepEqual(await view.page.$$eval("input[type=date]", (all) => all.map(({ value }) => value)), ["", ""]);
});

scene("users are filtered and sorted by their last activity", { email: root, site: () => several }, async (view) => {
  const choose = async (value) => {
    await view.choose("select:has([value='-365'])", value);
    await view.rest();
  };
  const cells = () => view.page.$$eval("tbody td:nth-child(4)", (all) => all.map(({ textContent }) => textContent));
  const { data } = await view.ask("GET", "/api/users?limit=100");
  await choose("30");
  const asked = new URL(view.requests.findLast((each) => each.includes("lastSeenAfter")), several.address).searchParams;
  assert.equal(new Date(asked.get("lastSeenAfter")).getTime(), new Date(`${dayOf(Date.now() - 30 * 86400000)}T00:00`).getTime());
  assert.deepEqual((await view.names()).sort(), data.filter(({ lastSeenAt }) => lastSeenAt).map(({ name }) => name).sort());
  assert.ok((await cells()).every((each) => /\d/.test(each)));
  const [latest] = await view.names();
  await choose("-90");
  assert.ok((await cells()).length > 2 && (await cells()).every((each) => each === "–"));
  await choose("");
  await view.press("Last activity", "thead");
  await view.rest();
  assert.equal(await view.page.evaluate(() => location.hash), "#sort=lastSeen+desc");
  assert.match((await cells())[0], /\d/);
  await view.press(latest, "tbody");
  await view.read("Last activity", ".facts");
});

scene("typing a date sends no requests for incomplete years", { email: root, site: () => several }, async (view) => {
  view.requests.length = 0;
  await view.page.focus("input[type=date]");
  await view.page.keyboard.type("11112026");
  await view.page.waitForFunction(() => location.hash === "#createdFrom=2026-11-11");
  await view.rest();
  const asked = view.requests.filter((each) => each.includes("createdAfter="));
  assert.ok(asked.length && asked.every((each) => each.includes("createdAfter=2026-11-10T22%3A59%3A59.999Z")), asked.join("\n"));
});

const blur = (view) => view.page.evaluate(() => document.activeElement.blur());

scene("keyboard shortcuts move through the list, select, open, save and create", { email: root, site: () => several }, async (view) => {
  await blur(view);
  await view.key("/");
  await view.page.keyboard.type("nj?/");
  assert.equal(await view.page.$eval("input[type=search]", (search) => search.value), "nj?/");
  assert.equal(await view.has("dialog"), false);
  await view.searchFor("");
  const names = await view.names();
  await blur(view);
  for (const [key, at] of [["j", 0], ["j", 1], ["k", 0], ["k", 0], ["j", 1]]) {
    await view.key(key);
    await view.focusOn(names[at]);
  }
  await view.key("x");
  await view.read("1 selected", ".selection");
  await view.key("x");
  await view.gone(".selection");
  await view.key("Enter");
  await view.see("dialog .facts dd");
  await view.key("n", "x", "/");
  assert.equal((await view.page.$$("dialog")).length, 1);
  const control = async (key) => {
    await view.page.keyboard.down("Control");
    await view.key(key);
    await view.page.keyboard.up("Control");
  };
  await view.type("dialog input[name=name]", `${names[1]} II`);
  await control("s");
  await view.read("Saved.", "dialog .status");
  assert.ok((await several.users()).some(({ name }) => name === `${names[1]} II`));
  await view.type("dialog input[name=name]", names[1]);
  await view.key("Escape");
  await view.read("Discard what you typed?");
  // The shortcut submits forms, but it does not answer the question.
  await control("s");
  await view.press("Keep editing");
  await control("s");
  await view.read("Saved.", "dialog .status");
  await view.closeDialog();
  await control("j");
  await view.focusOn(names[1]);
  await view.key("n");
  await view.read("New user", "dialog h2");
  assert.equal(await view.valueOf("name"), "");
});

scene("keyboard shortcuts are listed, and can be disabled", { email: root, site: () => several }, async (view) => {
  await blur(view);
  await view.key("?");
  await view.read("Keyboard shortcuts", "dialog h2");
  await view.read("Select", "dialog");
  await view.check("the keyboard shortcuts");
  await view.click("dialog .choice input");
  await view.key("Escape");
  await view.page.waitForFunction(() => !document.querySelector("dialog"));
  await view.focusOn("Users");
  const areOff = async () => {
    await blur(view);
    await view.key("n", "?", "j");
    assert.equal(await view.has("dialog"), false);
    assert.equal(await view.page.evaluate(() => document.activeElement === document.body), true);
  };
  await areOff();
  await view.page.reload();
  await view.see("tbody tr");
  await areOff();
  await view.press("Keyboard shortcuts");
  await view.click("dialog .choice input");
  await view.key("Escape");
  await view.focusOn("Keyboard shortcuts");
  await view.key("n");
  await view.read("New user", "dialog h2");
});

scene("an admin sees no shortcut for selecting users", { email: admin, site: () => several }, async (view) => {
  await view.press("Keyboard shortcuts");
  assert.ok(!(await view.text("dialog")).includes("Select"));
});

// --- Next to an application with its own sign-in ---

describe("with the application's session", () => {
  scene("without a session the console links to the application's sign-in page", { site: () => application }, async (view) => {
    await view.read("Sign in to the application first");
    assert.equal(await view.page.$eval("a.button", (link) => link.getAttribute("href")), "/sign-in?then=/admin");
    assert.equal(await view.has("form"), false);
  });

  scene("a session of the application is accepted, and signing out is left to the application", { site: () => application }, async (view) => {
    await comeWithSession(view, application);
    await view.read("Ada Lovelace", "header.bar");
    assert.equal(await view.button("Sign out"), null);
  });
});

scene("the console also works with a service at the root", { site: () => rooted }, async (view) => {
  await comeWithSession(view, rooted);
  await view.read("1–7 of 37", ".foot");
  assert.equal(await view.text(".foot select"), "7");
  await view.read("37", ".total .number");
  await view.createUser("Rita Root", "rita@example.org");
  await view.openUser("rita@example.org");
  await view.press("Ban");
  await view.press("Ban");
  await view.read("Rita Root is banned.", "dialog.drawer .status");
  assert.equal((await rooted.userAt("rita@example.org")).banned, true);
});

// --- Languages, keyboard, sizes ---

scene("the console is Spanish if the browser prefers Spanish", { email: user, languages: ["fr", "es-MX", "en"] }, async (view) => {
  assert.equal(await view.page.evaluate(() => document.documentElement.lang), "es");
  await view.read("Cerrar sesión");
  await view.press("Cerrar sesión");
  await view.read("Has cerrado la sesión.");
  await view.signIn(root);
  await view.read("usuarios en total");
  await view.openUser("barbara.liskov@example.org");
  await view.check("a drawer in Spanish");
});

scene("one user is announced in the singular, and the usual status is omitted", { email: root }, async (view) => {
  const found = () => view.page.$eval(".list > [role=status]", (said) => said.textContent);
  assert.match(await found(), /^\d+ users found$/);
  await view.searchFor("ada lovelace");
  assert.equal(await found(), "1 user found");
  assert.equal((await view.text("tbody td:nth-child(3)")).trim(), "");
});

for (const language of ["en", "es"])
  scene(`no filter of the list is clipped in ${language}`, { email: root, languages: [language] }, async (view) => {
    await view.page.$eval(".fold", (fold) => fold.click());
    for (const width of [1280, 1250, 1100, 900, 800, 640, 390, 320]) {
      await view.page.setViewport({ width, height: 860 });
      const clipped = await view.page.$$eval(".tools select", (all) => all.flatMap((select) => {
        const wide = select.cloneNode(true);
        wide.style.width = "max-content";
        document.body.append(wide);
        const { offsetWidth } = wide;
        wide.remove();
        return offsetWidth > select.offsetWidth ? [`${select.options[1].textContent}: ${select.offsetWidth} of ${offsetWidth}`] : [];
      }));
      assert.deepEqual(clipped, [], `${width} px`);
    }
  });

for (const [language, open, create, text] of [
  ["es", "Nuevo usuario", "Crear usuario", "Otro usuario ya tiene este correo."],
  ["en", "New user", "Create user", "Another user has this e-mail."],
])
  scene(`errors of an English service are shown in the browser's ${language}`, { email: root, site: () => english, languages: [language] }, async (view) => {
    await view.press(open);
    await view.type("dialog input[name=name]", "Carla Cruz");
    await view.type("dialog input[name=email]", root);
    await view.type("dialog input[name=password]", password);
    await view.press(create);
    await view.read(text, "dialog .field:has(input[name=email]) .wrong");
  });

scene("every task can be done with the keyboard alone", {}, async (view) => {
  await view.key("Tab");
  await view.page.evaluate(() => document.body.focus());
  await view.page.focus("input[name=email]");
  await view.write(root);
  await view.tabTo("input[name=password]");
  await view.write(password);
  await view.key("Enter");
  await view.see("tbody tr");
  await view.rest();
  await view.tabTo("input[type=search]");
  await view.write("radia");
  await view.listed("Radia Perlman");
  await view.tabTo("tbody button");
  await view.key("Enter");
  await view.see("dialog .facts dd");
  await view.tabTo("dialog input[name=name]");
  await view.write("Radia J. Perlman");
  await view.key("Enter");
  await view.read("Saved.", "dialog .status");
  await view.tabTo("dialog button.danger");
  await view.key("Enter");
  await view.focusOn("reason");
  await view.write("loops");
  await view.key("Enter");
  await view.read("Radia J. Perlman is banned.", "dialog.drawer .status");
  await view.rest();
  await view.tabTo("dialog section button.danger");
  await view.key("Enter");
  await view.focusOn("address");
  await view.key("Escape");
  await view.gone("dialog:not(.drawer)");
  await view.focusOn("Delete user");
  await view.closeDialog();
  await view.focusOn("Radia J. Perlman");
  await view.key("Enter");
  await view.see("dialog .facts dd");
  await view.rest();
  await view.tabTo("dialog section button.danger");
  await view.key("Enter");
  await view.write("radia.perlman@example.org");
  await view.key("Enter");
  await view.read("Radia J. Perlman has been deleted.");
  await view.gone("dialog");
  assert.equal(await site.user("user-9"), undefined);
  await view.tabTo(".tools > .main");
  await view.key("Enter");
  await view.focusOn("name");
  await view.write("Radia Perlman");
  await view.key("Tab");
  await view.write("radia@example.org");
  await view.key("Tab");
  await view.write(password);
  await view.key("Enter");
  await view.read("Radia Perlman has been created.");
  await view.gone("dialog");
  await view.focusOn("New user");
  await view.tabTo(".bar button");
  await view.key("Enter");
  await view.read("You have signed out.");
});

// Checks each view in each theme and width. check() includes axe-core's rules.
const shapes = [
  ["", { width: 1280, height: 860 }],
  ["phone", { width: 320, height: 640, scale: 2 }],
  ["zoomed", { width: 640, height: 430, scale: 2 }],
];
describe("views", { concurrency: 3 }, () => {
for (const theme of ["light", "dark"])
  for (const [shape, size] of shapes) {
    const named = (name) => [name, shape, theme === "dark" ? "dark" : ""].filter(Boolean).join("-");
    scene(`each view is laid out correctly, ${theme}, ${size.width} px wide`, { theme, ...size, site: () => shown }, async (view) => {
      const look = async (name) => {
        await view.check(named(name));
        await view.picture(named(name));
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
      await view.gone("dialog");
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
