// Tests changes of several users at once.
import { describe } from "node:test";
import assert from "node:assert/strict";

import { admin, agents, openWithSession, make, root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site({ directives: "UserAdminExtras On" });
const rooted = new Site({ base: "/", signIn: false, directives: "UserAdminMaxLimit 7" });
const scene = scenesOf(site);

describe("several users at once", () => {
  const there = { email: root };
  const bar = ".selection";
  const pick = (view, ...names) => names.reduce((before, name) => before.then(() => view.click(`tbody input[aria-label="Select ${name}"]`)), Promise.resolve());
  /** Lists all users with addresses in example.org on one page, and selects those with these names. */
  const findAndPick = async (view, ...names) => {
    await view.searchFor("example.org");
    await view.choose(".foot select", "50");
    await view.waitUntilIdle();
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
    await view.waitUntilIdle();
    assert.deepEqual(view.requests.filter((each) => /^\/api\/users\?/.test(each)).map((each) => each.includes("summary=")).sort(), [false, true]);
    const banned = (await site.users()).filter((each) => each.banReason === "spring cleaning");
    assert.deepEqual(banned.map((each) => each.id).sort(), ["olivia-1", "ulises-1"]);
    for (const { banExpires } of banned) assert.ok(Math.abs(new Date(banExpires) - Date.now() - 7 * 86400000) < 60000);
    await view.press("Lift the ban", bar);
    await view.read("Lift the ban: 2 users", "dialog h2");
    await view.press("Lift the ban");
    await view.waitUntilHidden("dialog");
    await view.waitUntilIdle();
    assert.equal((await site.users()).some((each) => each.banReason === "spring cleaning"), false);
  });

  scene("banning and unbanning several users can be undone", there, async (view) => {
    const ids = [await make(view, "Several A", "a.several@example.net"), await make(view, "Several B", "b.several@example.net")];
    await view.ask("PUT", `/api/users/${ids[0]}/ban`, { reason: "earlier", expires: "9000-01-01T00:00:00.000Z" });
    const bans = async () => (await site.users()).filter((each) => ids.includes(each.id)).sort((one, other) => one.name.localeCompare(other.name)).map((each) => [each.banned, each.banReason, each.banExpires]);
    const before = await bans();
    assert.deepEqual(before, [[true, "earlier", "9000-01-01T00:00:00.000Z"], [false, null, null]]);
    await view.searchFor("several@");
    await view.click("thead input");
    for (const [name, count] of [["Ban", 2], ["Lift the ban", 1]]) {
      await view.press(name, bar);
      await view.press(name);
      await view.read("Done: 2.", ".toast");
      assert.notDeepEqual(await bans(), before);
      await view.waitUntilHidden("dialog");
      await view.tabTo(".toast button");
      await view.focusOn("Undo");
      await view.key("Enter");
      await view.read(`Done: ${count}.`, ".toast");
      await view.waitUntilHidden("dialog");
      await view.waitUntilIdle();
      assert.deepEqual(await bans(), before);
    }
    for (const id of ids) await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("undoing restores the last state, also on other pages", there, async (view) => {
    const ids = [];
    for (let count = 0; count < 21; ++count) ids.push(await make(view, `Paged ${count}`, `${count}.paged@example.net`));
    const reasons = async () => [...new Set((await site.users()).filter((each) => ids.includes(each.id)).map((each) => each.banned && each.banReason))];
    const act = async (name, reason, isUndone = false) => {
      await view.press(name, bar);
      if (reason) await view.type("dialog input[name=reason]", reason);
      await view.press(name);
      await view.read("Done: 21.", ".toast");
      await view.waitUntilHidden("dialog");
      if (isUndone) await view.press("Undo");
      await view.waitUntilHidden("dialog");
      await view.waitUntilIdle();
    };
    await view.searchFor("paged@");
    await view.click("thead input");
    await view.press("Select all 21 matching users");
    await view.read("21 selected", bar);
    await act("Ban", "first");
    await act("Ban", "second", true);
    assert.deepEqual(await reasons(), ["first"]);
    // A change in the panel moves its user to another page.
    await view.choose(".tools select:has([value='updatedAt asc'])", "updatedAt asc");
    await view.waitUntilIdle();
    await view.openFirst();
    await view.press("Lift the ban");
    await view.read("The ban has been lifted.", "dialog.drawer .status");
    await view.closeDialog();
    await act("Ban", "third", true);
    assert.deepEqual((await reasons()).sort(), [false, "first"]);
    for (const id of ids) await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("the first selection is announced", there, async (view) => {
    await view.waitUntilIdle();
    const regions = await view.page.evaluateHandle(() => [...document.querySelectorAll("[role=status]")].filter((each) => each.checkVisibility()));
    await view.page.$eval("tbody input", (box) => box.click());
    assert.ok(await regions.evaluate((all) => all.some((each) => each.textContent === "1 selected")));
  });

  scene("selecting only oneself changes nothing", there, async (view) => {
    await view.searchFor("ada lovelace");
    await pick(view, "Ada Lovelace");
    await view.press("Delete", bar);
    await view.read("Skipped: you.", ".toast");
    assert.equal(await view.has("dialog"), false);
  });

  scene("the sessions of several users are ended", there, async (view) => {
    for (const name of ["marta.nunez", "jonas.weber"]) await site.openSession(`${name}@example.org`, agents[0]);
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
    assert.equal((await site.user("user-0")).role, "user");
    // The message about a failure does not mention the address.
    let isBroken = true;
    await view.intercept((request) => isBroken && request.method() === "PUT" && request.url().endsWith("/user-0") && { status: 500, body: JSON.stringify({ success: false, error: "Error al actualizar usuario" }) });
    await view.press("Give the role");
    await view.read("Done: 1. Failed: 1.", "dialog .status");
    assert.equal(await view.text(".failures p"), "The user could not be changed.");
    isBroken = false;
    await view.press("Try again");
    await view.waitUntilHidden("dialog");
    await view.read("Done: 1.", ".toast");
    for (const id of ["user-0", "user-2"]) assert.equal((await site.user(id)).role, "admin");
  });

  scene("several users are deleted after their number is typed", there, async (view) => {
    await view.searchFor("example.net");
    await view.click("thead input");
    await view.press("Delete", bar);
    await view.read("Delete: 3 users", "dialog h2");
    await view.read("This is permanent and includes all sessions and accounts.", "dialog");
    await view.type("dialog input[name=address]", "2");
    await view.press("Delete");
    await view.read("This does not match.", "dialog");
    await view.check("the dialog for deleting several users");
    // Meanwhile, somebody else deletes one of them.
    await view.ask("DELETE", "/api/users/hostile-1");
    await view.type("dialog input[name=address]", "3");
    await view.press("Delete");
    await view.read("Done: 3.", ".toast");
    await view.read("No users match.");
    await view.waitUntilHidden(bar);
    await view.focusOn("INPUT");
    assert.equal((await site.users()).some((each) => each.id.startsWith("hostile")), false);
  });

  scene("the selection survives paging and reloads until the next search", there, async (view) => {
    const head = () => view.page.$eval("thead input", ({ checked, indeterminate }) => [checked, indeterminate]);
    const first = await view.names();
    await pick(view, first[0]);
    assert.deepEqual(await head(), [false, true]);
    await view.press("Next");
    await view.waitUntilIdle();
    assert.deepEqual(await head(), [false, false]);
    await view.click("thead input");
    assert.deepEqual(await head(), [true, false]);
    const count = 1 + (await view.names()).length;
    await view.read(`${count} selected`, bar);
    await view.press("Previous");
    await view.waitUntilIdle();
    assert.deepEqual(await view.page.$$eval("tbody input:checked", (all) => all.map((each) => each.ariaLabel)), [`Select ${first[0]}`]);
    await view.press("User", "thead");
    await view.waitUntilIdle();
    await view.read(`${count} selected`, bar);
    await view.press("Clear selection", bar);
    assert.equal(await view.page.evaluate(() => document.activeElement === document.querySelector("thead input")), true);
    await view.click("thead input");
    await view.see(bar);
    await view.searchFor("grace");
    await view.waitUntilHidden(bar);
    assert.deepEqual(await head(), [false, false]);
    assert.equal(await view.has("dialog"), false, "a click on a checkbox opens the user");
  });

  scene("all matching users are selected, page by page", { site: rooted }, async (view) => {
    await openWithSession(view, rooted);
    await view.waitUntilIdle();
    const total = await view.text(".total .number");
    await pick(view, (await view.names())[0]);
    assert.equal(await view.button(`Select all ${total} matching users`), null);
    await view.click("thead input");
    view.requests.length = 0;
    await view.press(`Select all ${total} matching users`);
    await view.read(`${total} selected`, bar);
    await view.focusOn(`${total} selected`);
    assert.equal(view.requests.filter((each) => each.includes("cursor=")).length, Math.ceil(total / 7) - 1);
    await view.press("Next");
    await view.waitUntilIdle();
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
    await view.press("Select all 12,000 matching users");
    await view.read("10,000 selected. At most 10,000 can be selected.", bar);
    assert.equal(await view.button("Select all 12,000 matching users"), null);
  });

  scene("failed users are listed and can be retried", there, async (view) => {
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
    assert.equal(await view.text(".failures li"), "Hedy Lamarr\n\nThe request failed (status 500).");
    assert.equal(await view.page.$eval(".failures a", (link) => link.href), `${site.address}#user=user-17`);
    await view.focusOn("Try again");
    await view.check("a change that failed for one user");
    isBroken = false;
    await view.press("Try again");
    await view.read("Done: 1.", ".toast");
    await view.waitUntilHidden("dialog");
    assert.deepEqual(sent, { "user-3": 2, "user-17": 2, "user-18": 1 });
  });

  scene("an interrupted change is reported after the next sign-in", there, async (view) => {
    let isOver = true;
    await view.intercept((request) => isOver && request.method() === "PUT" && request.url().endsWith("/user-17/ban") && { status: 401, body: JSON.stringify({ success: false, error: "No autorizado" }) });
    await findAndPick(view, "Grace Hopper", "Hedy Lamarr");
    await view.press("Ban", bar);
    await view.press("Ban");
    await view.read("Your session has ended. Sign in again.");
    await view.read("Failed: ", ".toast");
    isOver = false;
    await view.signIn(root);
    await view.read("Failed: ", "dialog .status");
    await view.read("Ban: 2 users", "dialog h2");
    await view.read("Hedy Lamarr", ".failures");
    await view.press("Try again");
    await view.read("Done: ", ".toast");
    await view.waitUntilHidden("dialog");
    assert.equal((await site.user("user-17")).banned, true);
  });

  scene("at most four requests run at a time", there, async (view) => {
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
    await view.page.waitForFunction(() => traffic.inProgress === 4);
    const state = () => view.page.$eval("dialog progress", ({ value, max }) => [value, max]);
    assert.deepEqual(await state(), [0, 20]);
    await view.page.evaluate(() => (window.asked = !dispatchEvent(new Event("beforeunload", { cancelable: true }))));
    assert.equal(await view.page.evaluate(() => window.asked), true);
    held.shift().continue();
    await view.page.waitForFunction(() => document.querySelector("dialog progress").value === 1 && traffic.inProgress === 4);
    await view.read("1 of 20", "dialog");
    await view.key("Escape");
    isHolding = false;
    for (const each of held.splice(0)) each.continue();
    await view.read("Done: 5. Not started: 15.", "dialog .status");
    await view.press("Try again");
    await view.read("Done: 15.", ".toast");
    await view.waitUntilHidden("dialog");
  });

  scene("stopping while the service is busy sends no further request", there, async (view) => {
    let sent = 0;
    await view.intercept((request) => request.method() === "PUT" && ++sent <= 4 && { status: 503, headers: { "Retry-After": "60" }, body: "{}" });
    await view.searchFor("example.org");
    await view.click("thead input");
    await view.press("Ban", bar);
    await view.press("Ban");
    await view.page.waitForResponse(() => sent === 4);
    await view.page.waitForFunction(() => !traffic.inProgress);
    await view.press("Stop");
    await view.read("Failed: 4. Not started: 16.", "dialog .status");
    await view.waitUntilIdle();
    assert.equal(sent, 4);
  });

  scene("a user deleted in the panel is no longer selected", there, async (view) => {
    await make(view, "Picked A", "a.picked@example.net");
    const id = await make(view, "Picked B", "b.picked@example.net");
    await view.searchFor("picked@");
    await view.click("thead input");
    await view.press("Picked A");
    await view.see("dialog.drawer .facts dd");
    await view.deleteUser("a.picked@example.net");
    await view.expectNames("Picked B");
    await view.read("1 selected", bar);
    await view.ask("DELETE", `/api/users/${id}`);
  });

  scene("rows do not move when the bar appears and disappears", there, async (view) => {
    for (const from of [0, 300]) {
      await view.page.evaluate((y) => scrollTo(0, y), from);
      const before = await top(view);
      await view.page.$eval("tbody tr:nth-child(8) input", (box) => box.click());
      await view.see(bar);
      assert.ok(Math.abs((await top(view)) - before) < 1, `${await top(view)}, not ${before}`);
      await view.page.$eval("tbody tr:nth-child(8) input", (box) => box.click());
      await view.waitUntilHidden(bar);
      assert.ok(Math.abs((await top(view)) - before) < 1, `${await top(view)}, not ${before}`);
    }
    // The selection bar stays visible.
    await view.page.evaluate(() => scrollTo(0, 0));
    await view.click("thead input");
    await view.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await view.readVisible("20 selected", ".selection strong");
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
        await view.takeScreenshot(`selection-${theme}-${width}`);
        await view.intercept((request) => request.method() === "PUT" && { status: 500, body: JSON.stringify({ success: false, error: "Error al banear usuario" }) });
        await view.press("Ban", bar);
        await view.press("Ban");
        await view.read("Failed: ", "dialog .status");
        await view.focusOn("Try again");
        const [button, frame] = await view.page.evaluate(() => [document.activeElement, document.activeElement.closest("dialog")].map((each) => each.getBoundingClientRect().bottom));
        assert.ok(button < frame, `the button ends at ${button}, the dialog at ${frame}`);
        await view.check("failures");
        await view.takeScreenshot(`failures-${theme}-${width}`);
      });
});
