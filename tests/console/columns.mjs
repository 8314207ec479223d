// Tests the columns of the list.
import { describe } from "node:test";
import assert from "node:assert/strict";

import { admin, root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

// The application has added columns to the user table.
const site = new Site(
  { directives: "UserAdminExtras On\nUserAdminColumns company settings\nUserAdminEditable plan seats vip seen missing", hasAuditLog: true },
  (each) => each.sql(
    `ALTER TABLE "user" ADD COLUMN "company" text; ALTER TABLE "user" ADD COLUMN "settings" json; ALTER TABLE "user" ADD COLUMN "plan" text CHECK ("plan" <> 'none');
     ALTER TABLE "user" ADD COLUMN "seats" integer; ALTER TABLE "user" ADD COLUMN "vip" boolean; ALTER TABLE "user" ADD COLUMN "seen" timestamp;
     ALTER TABLE "user" ADD COLUMN "resetToken" text DEFAULT 's3cr3t';
     UPDATE "user" SET "company" = '<b>Navy</b>', "settings" = '{"a":[1]}', "plan" = 'basic', "seen" = '2026-03-01T09:30:00.000Z' WHERE "id" = 'user-3'`));
// A site with a column that has the name of a property of every object.
const odd = new Site(
  { directives: "UserAdminExtras On\nUserAdminEditable plan constructor" },
  (each) => each.sql(`ALTER TABLE "user" ADD COLUMN "plan" text; ALTER TABLE "user" ADD COLUMN "constructor" text; UPDATE "user" SET "constructor" = 'shipyard'`));
const scene = scenesOf(site);

describe("columns", () => {
  const there = { email: root };
  const headings = (view) => view.page.$$eval("thead th", (all) => all.map((each) => each.textContent));
  const cells = (view) => view.page.$$eval("tbody tr:first-child td", (all) => all.slice(1).map((each) => each.textContent));
  const stored = async (view, id) => (await view.ask("GET", `/api/users/${id}?columns=company,plan,seats,vip,seen`)).data;
  const label = (text) => `dialog .choice ::-p-text(${text})`;

  for (const [language, name, first, own] of [["en", "Columns", ["User", "Role", "Status", "Last activity", "Created"], "Last change"], ["es", "Columnas", ["Usuario", "Rol", "Estado", "Última actividad", "Creación"], "Último cambio"]])
    scene(`chosen columns are remembered, in ${language}`, { ...there, languages: [language] }, async (view) => {
      await view.searchFor("grace.hopper");
      assert.deepEqual(await headings(view), first);
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
      assert.deepEqual(await headings(view), chosen);
      await view.waitUntilIdle();
      assert.equal((await cells(view)).at(-1), "<b>Navy</b>");
      await view.check("a list with an extra column");
      await view.page.reload();
      await view.see("tbody tr");
      await view.waitUntilIdle();
      assert.deepEqual(await headings(view), chosen);
      assert.equal((await cells(view)).at(-1), "<b>Navy</b>");
    });

  scene("columns are labeled on a phone and saved as CSV", { ...there, width: 390, height: 844 }, async (view) => {
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

  scene("a superAdmin sees and edits extra columns", there, async (view) => {
    await view.openUser("grace.hopper@example.org");
    const facts = await view.text("dialog .facts");
    assert.ok(facts.includes("<b>Navy</b>") && facts.includes(`{"a":[1]}`), facts);
    assert.ok(!(await view.text("dialog")).includes("s3cr3t"));
    const input = (name) => `dialog [name="data.${name}"]`;
    assert.deepEqual(
      await view.page.$$eval("dialog [name^=data]", (all) => all.map(({ name, type, value }) => [name, type, value])),
      [["data.plan", "text", "basic"], ["data.seats", "number", ""], ["data.vip", "select-one", ""], ["data.seen", "datetime-local", "2026-03-01T10:30"]]);
    await view.check("a user with extra columns");
    await view.type(input("plan"), "none");
    await view.press("Save changes");
    await view.read("The service did not accept a value.", "dialog form [role=alert]");
    await view.type(input("plan"), "pro");
    await view.type(input("seats"), "1e");
    await view.press("Save changes");
    await view.read("Enter a whole number.", "dialog");
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

  scene("saving a column that somebody changed keeps the edits", there, async (view) => {
    await view.openUser("zhang.wei@example.org");
    await view.type('dialog [name="data.plan"]', "mine");
    await view.ask("PUT", "/api/users/user-24", { data: { plan: "theirs", vip: true } });
    await view.press("Save changes");
    await view.read("Somebody has changed this user", "dialog .notice");
    await view.press("Reload and keep my edits");
    await view.read("vip is now “Yes”.", "dialog .status");
    assert.equal(await view.page.$eval('dialog [name="data.plan"]', (each) => each.value), "mine");
    await view.save();
    const { plan, vip } = await stored(view, "user-24");
    assert.deepEqual([plan, vip], ["mine", true]);
  });
});

scene("a click on a column's heading sorts in both directions", { email: root }, async (view) => {
  await view.press("Columns");
  for (const name of ["Last activity", "Last change"]) {
    const box = await view.page.waitForSelector(`dialog .choice ::-p-text(${name})`);
    if (!(await box.evaluate((each) => each.closest("label").control.checked))) await box.click();
  }
  await view.press("Close");
  for (const name of ["User", "Last activity", "Created", "Last change"]) {
    const orders = [];
    for (let count = 0; count < 2; ++count) {
      await view.press(name, "thead");
      await view.waitUntilIdle();
      orders.push(await view.page.$$eval("th[aria-sort]", (all) => all.map((each) => `${each.textContent} ${each.ariaSort}`).join()));
    }
    assert.deepEqual(orders.sort(), [`${name} ascending`, `${name} descending`]);
  }
});

scene("a CSV file has no formula in any cell", { email: root }, async (view) => {
  const add = (name, email) => view.ask("POST", "/api/users", { name, email, password: "12345678", role: "user" });
  await add("a;=1+1", "one@split.example");
  await add("a;b\n-1\n\"=2\nc", "two@split.example");
  await view.ask("PUT", `/api/users/${(await add("c", "three@split.example")).data.id}`, { data: { seats: -5 } });
  await view.ask("PUT", `/api/users/${(await add("d", "four@split.example")).data.id}`, { data: { seats: "-9007199254740993" } });
  await view.press("Columns");
  await (await view.page.waitForSelector("dialog .choice ::-p-text(seats)")).click();
  await view.press("Close");
  await view.searchFor("split.example");
  const saved = await view.download(() => view.press("Save as CSV"));
  assert.ok(saved.includes(`,"a;'=1+1",one@split.example,`), saved);
  assert.ok(saved.includes(`,"a;b\n'-1\n""'=2\nc",two@split.example,`), saved);
  assert.ok(saved.includes(",-5\r\n"), saved);
  assert.ok(saved.includes(",-9007199254740993\r\n"), saved);
  await site.sql(`DELETE FROM user WHERE email LIKE '%@split.example'`);
});

scene("saving another column keeps one named constructor", { site: odd, email: root }, async (view) => {
  await view.openUser("grace.hopper@example.org");
  await view.type('dialog [name="data.plan"]', "pro");
  await view.save();
  await view.type('dialog [name="data.plan"]', "basic");
  await view.save();
  const { data } = await view.ask("GET", "/api/users/user-3?columns=plan,constructor");
  assert.deepEqual([data.plan, data.constructor], ["basic", "shipyard"]);
});

scene("a user found by id shows the chosen columns", { email: root }, async (view) => {
  await view.press("Columns");
  await (await view.page.waitForSelector("dialog .choice ::-p-text(company)")).click();
  await view.press("Close");
  await view.searchFor("user-3");
  await view.expectNames("Grace Hopper");
  assert.equal(await view.text("tbody td:last-child"), "<b>Navy</b>");
});
