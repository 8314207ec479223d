// Tests the pages of a list and saving them as CSV, with the root as the service's base address.
import assert from "node:assert/strict";

import { openWithSession, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site({ base: "/", signIn: false, directives: "UserAdminMaxLimit 7" });
const scene = scenesOf(site);

scene("a page can be opened by its number", {}, async (view) => {
  await openWithSession(view, site);
  await view.read("1–7 of", ".foot");
  const last = Math.ceil(Number(await view.text(".total .number")) / 7);
  await view.read(`of ${last}`, ".foot label:has(input)");
  for (const [typed, page] of [["3", 3], ["99", last], ["0", last], ["-5", 1], ["2", 2]]) {
    await view.type(".foot input", typed);
    await view.key("Enter");
    await view.waitUntilIdle();
    await view.read(`${(page - 1) * 7 + 1}–`, ".foot .range");
    assert.equal(await view.page.$eval(".foot input", (input) => input.value), String(page), typed);
  }
  assert.ok(!view.requests.some((each) => /page=(99|0|-5)&/.test(each)), "requests for pages that do not exist");
  assert.equal(await view.page.evaluate(() => location.hash), "#page=2");
  assert.equal(await view.page.evaluate(() => document.activeElement.type), "number");
  await view.searchFor("ada lovelace");
  await view.waitUntilHidden(".foot input");
});

scene("the matching users are saved as CSV", {}, async (view) => {
  await openWithSession(view, site);
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
  await view.expectNames("Ítaca", "-a, \"b\"", "=1+1");
  assert.equal((await view.download(() => view.press("Save as CSV"))).split("\r\n").length, 5);
  await view.searchFor("nobody at all");
  await view.read("No users match.");
  assert.equal(await view.button("Save as CSV"), null);
  await site.sql(`DELETE FROM user WHERE email LIKE '%@saved.example'`);
});

scene("saving as CSV survives a failure and can be canceled", {}, async (view) => {
  await openWithSession(view, site);
  await view.see("tbody tr");
  let failures = 1;
  await view.intercept((request) => (request.url().includes("cursor=") && failures-- > 0 ? { status: 503, body: "" } : null));
  await view.press("Save as CSV");
  await view.read("The service is busy.", "dialog");
  await view.check("saving");
  const saved = await view.download(() => view.press("Reload"));
  assert.equal(saved.split("\r\n").length, 2 + (await view.ask("GET", "/")).pagination.total);
  failures = 1;
  await view.press("Save as CSV");
  await view.read("The service is busy.", "dialog");
  await view.press("Cancel");
  await view.page.waitForFunction(() => !document.querySelector("dialog"));
});

scene("pages without a cursor are saved as CSV, too", {}, async (view) => {
  // A cursor with such a name would be too long.
  await site.sql(
    `INSERT INTO user (id, name, email, emailVerified, role, createdAt, updatedAt) SELECT 'long-' || value, '${"z".repeat(600)}' || value,
     value || '@long.example', 0, 'user', '2026-01-01', '2026-01-01' FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]')`);
  await openWithSession(view, site);
  await view.see("tbody tr");
  await view.page.evaluate(() => (location.hash = "#search=long.example&sort=name+asc"));
  await view.waitUntilIdle();
  assert.equal((await view.download(() => view.press("Save as CSV"))).split("\r\n").length, 2 + 15);
  await site.sql(`DELETE FROM user WHERE email LIKE '%@long.example'`);
});

scene("the console also works with a service at the root", {}, async (view) => {
  await openWithSession(view, site);
  await view.read("1–7 of 37", ".foot");
  assert.equal(await view.text(".foot select"), "7");
  await view.read("37", ".total .number");
  await view.createUser("Rita Root", "rita@example.org");
  await view.openUser("rita@example.org");
  await view.press("Ban");
  await view.press("Ban");
  await view.read("Rita Root is banned.", "dialog.drawer .status");
  assert.equal((await site.userAt("rita@example.org")).banned, true);
});
