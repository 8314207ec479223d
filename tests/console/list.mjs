// Tests the list of users.
import assert from "node:assert/strict";

import { make, root, scenesOf } from "./support/scene.mjs";
import { hostileNames, Site } from "./support/site.mjs";

const site = new Site();
const scene = scenesOf(site);

scene("typing searches the list and aborts the previous request", { email: root }, async (view) => {
  view.requests.length = 0;
  await view.typeInPage("lovel", 20);
  await view.expectNames("Ada Lovelace");
  const searches = view.requests.filter((each) => each.includes("search="));
  assert.ok(searches.length <= 2, `a request per letter: ${searches}`);
  await view.read("1–1 of 1", ".foot");
  // A late response is ignored if the search has changed since.
  const release = await view.holdSearch("grace");
  await view.type("input[type=search]", "tony");
  await view.expectNames("Tony Hoare");
  await release();
  await view.waitUntilIdle();
  await view.expectNames("Tony Hoare");
  await view.searchFor("nobody is called so");
  await view.read("No users match.");
  await view.check("an empty list");
  await view.press("Clear search and filters");
  await view.read("1–20 of 37", ".foot");
  assert.equal(await view.page.evaluate(() => document.activeElement.type), "search");
});

scene("searching for an id finds its user", { email: root }, async (view) => {
  await view.searchFor("user-2");
  await view.expectNames("Jonas Weber");
  await view.read("1–1 of 1", ".foot");
  assert.equal(await view.button("Save as CSV"), null);
  await view.searchFor("user-999");
  await view.read("No users match.");
});

scene("a space at the end is kept when typing pauses", { email: root }, async (view) => {
  await view.searchFor("ada");
  const again = view.page.waitForResponse((response) => /search=ada(&|$)/.test(response.url()));
  await view.page.type("input[type=search]", " ");
  await again;
  await view.page.type("input[type=search]", "lovelace");
  await view.waitForSearch("ada lovelace");
  await view.expectNames("Ada Lovelace");
});

scene("aborting a request while its response arrives reports no error", { email: root }, async (view) => {
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
  await view.expectNames("Tony Hoare");
  assert.deepEqual(await view.page.evaluate(() => window.alerts), []);
});

scene("an outdated total leads back to the first page", { email: root }, async (view) => {
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
  await view.waitUntilIdle();
  assert.equal(await view.text(".total .number"), String(before + 2));
  for (const email of ["early@example.org", "late@example.org"]) await view.ask("DELETE", `/api/users/${(await site.userAt(email)).id}`);
});

scene("filters are combined, and the list is sorted and paged", { email: root }, async (view) => {
  const select = (label) => `.tools div:has(> label[for]) select[id="${label}"]`;
  const idOf = (label) => view.page.evaluate((text) => [...document.querySelectorAll("label")].find((each) => each.textContent === text).htmlFor, label);
  const choose = async (label, value) => {
    await view.choose(select(await idOf(label)), value);
    await view.waitUntilIdle();
  };
  await choose("Role", "admin");
  await view.expectNames("Dennis Ritchie", "Olivia Ortiz");
  await choose("Role", "");
  await choose("Status", "true");
  await choose("Sort by", "name asc");
  await view.expectNames(hostileNames[0], "Alan Turing", "Emmy Noether", "Margaret Hamilton");
  await view.searchFor("emmy");
  await view.expectNames("Emmy Noether");
  await view.searchFor("");
  await choose("Status", "");
  await choose("Email verified", "false");
  await choose("Sort by", "email desc");
  const unverified = await view.names();
  assert.ok(unverified.length > 2);
  await choose("Email verified", "");
  await choose("Sort by", "createdAt desc");
  // The column headings also sort.
  await view.press("User", "thead");
  await view.waitUntilIdle();
  assert.equal(await view.page.$eval("th:first-child", (head) => head.getAttribute("aria-sort")), "ascending");
  await view.press("User", "thead");
  await view.waitUntilIdle();
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

scene("rows that stay in the list keep focus and selection", { email: root }, async (view) => {
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
    await view.waitUntilIdle();
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

scene("after a failure no old rows are shown as results", { email: root }, async (view) => {
  await view.read("1–20 of 37", ".foot");
  await view.page.setOfflineMode(true);
  await view.press("Next");
  await view.read("The server could not be reached. Try again.", ".list [role=alert]");
  await view.focusOn("Reload");
  await view.expectNames();
  await view.waitUntilIdle();
  assert.equal((await view.text(".foot .range")).trim(), "");
  assert.equal(await view.page.$eval(".list > [role=status]", (said) => said.textContent), "");
  await view.check("a list that failed to load");
  await view.page.setOfflineMode(false);
  await view.press("Reload");
  await view.read("21–37 of 37", ".foot");
});

scene("an error response from a proxy is explained by its status", { email: root }, async (view) => {
  const responses = { five: { status: 503, contentType: "text/html", body: "<html>" }, four: { status: 429, body: "no" } };
  await view.intercept((request) => responses[new URL(request.url()).searchParams.get("search")]);
  await view.searchFor("five");
  await view.read("The service is busy. Try again in a moment.", ".list [role=alert]");
  await view.searchFor("four");
  await view.read("Too many requests. Try again later.", ".list [role=alert]");
  await view.page.setRequestInterception(false);
  await view.press("Reload");
  await view.read("No users match.");
  assert.equal((await view.text(".list [role=alert]")).trim(), "");
});

scene("the list does not wait for the caller's record", { email: root }, async (view) => {
  const release = await view.hold((request) => request.url().endsWith("/root-1"));
  await view.page.reload();
  await view.read("1–20 of", ".foot");
  assert.ok(!(await view.text("header.bar")).includes("Ada Lovelace"));
  await release();
  await view.read("Ada Lovelace", "header.bar");
});

scene("typing twelve letters sends at most three requests", { email: root }, async (view) => {
  view.requests.length = 0;
  await view.typeInPage("hedy lamarr@", 250);
  await view.waitForSearch("hedy lamarr@");
  await view.expectNames("Hedy Lamarr");
  assert.ok(view.requests.length <= 3, view.requests.join("\n"));
});

scene("a new user hidden by a filter can be opened", { email: root }, async (view) => {
  await view.searchFor("nobody is called so");
  await view.createUser("Hidden Figure", "hidden@example.org");
  await view.expectNames();
  await view.check("a message with a link");
  await view.press("Open");
  await view.read("hidden@example.org", "dialog.drawer .facts");
  assert.equal(await view.text(".toast"), "");
  await view.closeDialog();
  assert.equal(await view.page.evaluate(() => document.activeElement.type), "search");
  await view.ask("DELETE", `/api/users/${(await site.userAt("hidden@example.org")).id}`);
});

scene("a double click opens the user and selects no text", { email: root }, async (view) => {
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
  await view.waitUntilIdle();
  await press("dialog dd", 2);
  assert.equal(await selected(), "");
  // A double click inside the open drawer selects a word.
  await press("dialog dd", 1);
  await press("dialog dd", 2);
  assert.equal(await selected(), "hedy");
});

scene("one user is announced in the singular", { email: root }, async (view) => {
  const found = () => view.page.$eval(".list > [role=status]", (said) => said.textContent);
  assert.match(await found(), /^\d+ users found$/);
  await view.searchFor("ada lovelace");
  assert.equal(await found(), "1 user found");
  assert.equal((await view.text("tbody td:nth-child(3)")).trim(), "");
});

scene("a user with a short numeric id is found by it", { email: root }, async (view) => {
  const id = await make(view, "Serial", "serial@example.org");
  await site.sql(`UPDATE "user" SET "id" = '86' WHERE "id" = '${id}'`);
  await view.searchFor("86");
  await view.expectNames("Serial");
  await view.ask("DELETE", "/api/users/86");
});

scene("a number finds its user among other matches", { email: root }, async (view) => {
  const id = await make(view, "Serial", "serial@example.org");
  await site.sql(`UPDATE "user" SET "id" = '86' WHERE "id" = '${id}'`);
  const other = await make(view, "Agent 86", "agent@example.org");
  await view.searchFor("86");
  await view.expectNames("Serial", "Agent 86");
  await view.read("1–2 of 2", ".foot");
  await view.ask("PUT", "/api/users/86", { email: "86@example.org" });
  await view.searchFor("");
  await view.searchFor("86");
  await view.expectNames("Agent 86", "Serial");
  await view.read("1–2 of 2", ".foot");
  for (const each of ["86", other]) await view.ask("DELETE", `/api/users/${each}`);
});

scene("an outdated total does not hide the next page", { email: root }, async (view) => {
  await view.page.evaluate(() => {
    const own = window.fetch;
    window.fetch = async (url, options) => {
      const response = await own(url, options);
      if (!url.includes("search=")) return response;
      const content = await response.json();
      Object.assign(content.pagination, { total: 20, totalPages: 1 });
      return new Response(JSON.stringify(content), { headers: response.headers });
    };
  });
  await view.searchFor("example.org");
  const first = await view.names();
  await view.press("Next");
  await view.read("21–", ".foot .range");
  await view.waitUntilIdle();
  assert.ok((await view.names()).every((each) => !first.includes(each)));
  assert.equal(await view.page.$eval(".foot button:last-of-type", (button) => button.disabled), true);
});
