// Tests the addresses of lists and users, and the browser's history.
import assert from "node:assert/strict";

import { root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site();
const extras = new Site({ directives: "UserAdminExtras On" });
const scene = scenesOf(site);

scene("opening a bookmark changes the list, and Back restores it", { email: root }, async (view) => {
  await view.searchFor("ada lovelace");
  await view.expectNames("Ada Lovelace");
  const depth = await view.page.evaluate(() => history.length);
  await view.page.evaluate(() => (location.hash = "#search=o&role=admin&sort=name+asc"));
  await view.expectNames("Dennis Ritchie", "Olivia Ortiz");
  const shown = () => view.page.$$eval(".tools input, .tools select", (all) => all.map((each) => each.value));
  assert.deepEqual(await shown(), ["o", "admin", "", "", "", "", "name asc"]);
  assert.equal(await view.page.evaluate(() => history.length), depth + 1);
  await view.page.evaluate(() => history.back());
  await view.expectNames("Ada Lovelace");
  assert.deepEqual(await shown(), ["ada lovelace", "", "", "", "", "", "createdAt desc"]);
});

const back = (view) => view.page.evaluate(() => history.back());
const depth = (view) => view.page.evaluate(() => history.length);

scene("Back returns to each page and each search", { email: root }, async (view) => {
  const before = await depth(view);
  await view.press("Next");
  await view.read("21–37 of 37", ".foot");
  for (const text of ["ada", "ada l", "ada lovelace"]) {
    await view.page.$eval("input[type=search]", (search, value) => {
      search.value = value;
      search.dispatchEvent(new Event("input"));
    }, text);
    await view.waitForSearch(text);
  }
  await view.expectNames("Ada Lovelace");
  assert.equal(await depth(view), before + 2);
  await back(view);
  await view.read("21–37 of 37", ".foot");
  await back(view);
  await view.read("1–20 of 37", ".foot");
  assert.equal(await view.page.evaluate(() => location.hash), "");
  await view.page.evaluate(() => history.go(2));
  await view.expectNames("Ada Lovelace");
});

scene("an open user has an address and a history entry", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  assert.equal(await view.page.evaluate(() => location.hash), "#search=hedy.lamarr%40example.org&user=user-17");
  await back(view);
  await view.waitUntilHidden("dialog");
  await view.focusOn("Hedy Lamarr");
  await view.expectNames("Hedy Lamarr");
  await view.page.evaluate(() => history.forward());
  await view.read("Hedy Lamarr", "dialog.drawer h2");
  await view.page.reload();
  await view.read("Hedy Lamarr", "dialog.drawer h2");
  await view.waitUntilIdle();
  const entries = await depth(view);
  await view.closeDialog();
  await view.focusOn("Hedy Lamarr");
  assert.equal(await view.page.evaluate(() => location.hash), "#search=hedy.lamarr%40example.org");
  // A closed drawer leaves no history entry.
  await view.press("Hedy Lamarr");
  await view.see("dialog.drawer .facts dd");
  assert.equal(await depth(view), entries);
  await view.key("Escape", "Escape");
  await view.waitUntilHidden("dialog");
  await view.expectNames("Hedy Lamarr");
});

scene("Back asks before it discards edits", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.type("dialog input[name=name]", "Hedy L.");
  await back(view);
  await view.read("Discard your edits?", "dialog:not(.drawer)");
  await view.press("Keep editing");
  await view.waitUntilHidden("dialog:not(.drawer)");
  assert.equal(await view.valueOf("name"), "Hedy L.");
  assert.match(await view.page.evaluate(() => location.hash), /user=user-17$/);
  await back(view);
  await view.see("dialog:not(.drawer)");
  await back(view);
  await view.waitUntilIdle();
  assert.equal((await view.page.$$("dialog:not(.drawer)")).length, 1);
  await view.press("Discard");
  await view.waitUntilHidden("dialog");
  await view.expectNames("Hedy Lamarr");
});

scene("a link to a user opens that user", {}, async (view) => {
  await view.page.goto(`${site.address}#user=user-17`);
  await view.signIn(root);
  await view.read("Hedy Lamarr", "dialog.drawer h2");
  await view.check("a user opened through a link");
  await view.page.evaluate(() => (location.hash = "#user=user-18"));
  await view.read("John Backus", "dialog.drawer h2");
  await view.press("Close");
  await view.waitUntilHidden("dialog");
  assert.equal(await view.page.evaluate(() => location.hash), "");
  await view.read("1–20 of 37", ".foot");
});

scene("buttons copy the link, email, identifier and password", { email: root, site: extras }, async (view) => {
  await view.context.overridePermissions(extras.httpd.address, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
  await view.openUser("hedy.lamarr@example.org");
  const copied = async (name) => {
    await view.press(name);
    await view.read("Copied.", "dialog:last-of-type .status");
    return view.page.evaluate(() => navigator.clipboard.readText());
  };
  assert.equal(await copied("Copy the email"), "hedy.lamarr@example.org");
  assert.equal(await copied("Copy the ID"), "user-17");
  assert.equal(await copied("Copy a link to this user"), `${extras.address}#user=user-17`);
  await view.press("Set a password");
  await view.press("Generate");
  assert.equal(await copied("Copy the password"), await view.valueOf("password"));
  await view.check("a password to copy");
});

scene("a path with two slashes stays on this server", { email: root }, async (view) => {
  await view.page.goto(`${site.httpd.address}//admin`);
  await view.read("1–20 of 37", ".foot");
  await view.searchFor("ada lovelace");
  await view.expectNames("Ada Lovelace");
  assert.equal(await view.page.evaluate(() => location.pathname), "//admin");
});

scene("the URL and Ctrl+S work in Safari 15.4", { email: root }, async (view) => {
  await view.page.evaluateOnNewDocument(() => {
    delete URLSearchParams.prototype.size;
    delete HTMLFormElement.prototype.requestSubmit;
  });
  await view.page.reload();
  await view.openUser("hedy.lamarr@example.org");
  assert.match(await view.page.evaluate(() => location.hash), /user=user-17$/);
  await view.type("dialog input[name=name]", "Hedwig Kiesler");
  await view.page.keyboard.down("Control");
  await view.key("s");
  await view.page.keyboard.up("Control");
  await view.read("Saved.", "dialog .status");
  await view.ask("PUT", "/api/users/user-17", { name: "Hedy Lamarr" });
});

scene("opening a user first writes the search to the URL", { email: root }, async (view) => {
  // The pause that ends the typing is over only after the user has been opened.
  await view.page.evaluateOnNewDocument(() => {
    const [start, stop] = [setTimeout, clearTimeout];
    window.pending = null;
    window.setTimeout = (run, delay) => (delay === 350 ? ((window.pending = run), -1) : start(run, delay));
    window.clearTimeout = (id) => (id === -1 ? (window.pending = null) : stop(id));
  });
  await view.page.reload();
  await view.type("input[type=search]", "o");
  await view.openFirst();
  await view.page.evaluate(() => window.pending?.());
  await view.waitUntilIdle();
  assert.match(await view.page.evaluate(() => location.hash), /^#search=o&user=/);
  await back(view);
  await view.waitUntilHidden("dialog");
  assert.equal(await view.page.evaluate(() => location.hash), "#search=o");
});
