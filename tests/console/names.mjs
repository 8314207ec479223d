// Tests names that are markup, empty, very long or written from right to left.
import assert from "node:assert/strict";

import { make, root, scenesOf } from "./support/scene.mjs";
import { hostileNames, Site } from "./support/site.mjs";

const site = new Site();
const scene = scenesOf(site);

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
  await view.waitUntilIdle();
  await view.page.reload();
  await view.see("tbody");
});

scene("a right-to-left name does not reverse the surrounding sentence", { email: root }, async (view) => {
  const people = [["مريم", "maryam@example.org", "Delete \u2068مريم\u2069?"], ["\u202eNora", "nora@example.org", "Delete Nora?"]];
  for (const [name, email, title] of people) {
    await view.ask("POST", "/api/users", { name, email, password: "12345678", role: "user" });
    await view.openUser(email);
    await view.press("Delete user");
    assert.equal(await view.text("dialog:not(.drawer) h2"), title);
    await view.type("dialog input[name=address]", email);
    await view.press("Delete user");
    await view.read("has been deleted.");
    await view.waitUntilHidden("dialog");
  }
});

scene("an invisible name is replaced by the address", { email: root }, async (view) => {
  for (const name of [" ", "\u3164", "\u200b\u2060"]) {
    const id = await make(view, name, "nameless@example.org");
    await view.searchFor("nameless");
    await view.expectNames("nameless@example.org");
    await view.check("a list with an invisible name");
    await view.press("nameless@example.org");
    await view.read("nameless@example.org", "dialog h2");
    await view.check("a drawer with an invisible name");
    await view.press("Delete user");
    await view.read("Delete nameless@example.org?", "dialog:not(.drawer) h2");
    await view.type("dialog input[name=address]", "nameless@example.org");
    await view.press("Delete user");
    await view.waitUntilHidden("dialog");
    assert.equal(await site.user(id), undefined);
  }
});

scene("a long role ends in an ellipsis", { email: root }, async (view) => {
  const id = await make(view, "Long Role", "role@example.org");
  await site.sql(`UPDATE "user" SET "role" = '${"auditor-of-everything-".repeat(5)}' WHERE "id" = '${id}'`);
  await view.searchFor("role@");
  await view.openFirst();
  for (const place of ["tbody", "dialog .head"]) {
    // text-overflow has no effect in a flex container.
    const { display, isCut } = await view.page.$eval(`${place} .pill`, (pill) => ({ display: getComputedStyle(pill).display, isCut: pill.scrollWidth > pill.clientWidth }));
    assert.ok(isCut && !display.includes("flex"), `${place}: ${display}, ${isCut}`);
  }
  await view.check("a long role");
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("a name of ten thousand letters hides no controls", { email: root, width: 320, height: 640 }, async (view) => {
  const name = "Wide".repeat(2500);
  const id = await make(view, name, `${"w".repeat(3000)}@example.org`);
  await view.searchFor("wideWIDE");
  await view.expectNames(`${"Wide".repeat(20)}…`);
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

scene("an avatar has initials of the name or the address", { email: root }, async (view) => {
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

scene("bidirectional controls in a name are neutralized", { email: root }, async (view) => {
  const id = await make(view, "\u202enimda", "overridden@example.org");
  await view.searchFor("overridden");
  await view.expectNames("nimda");
  await view.openFirst();
  assert.equal(await view.page.$eval("dialog h2", (heading) => heading.textContent), "nimda");
  // The stored name can still be corrected.
  assert.equal(await view.valueOf("name"), "\u202enimda");
  await view.ask("DELETE", `/api/users/${id}`);
});
