// Tests the console with the keyboard alone, and its shortcuts.
import assert from "node:assert/strict";

import { admin, root, scenesOf } from "./support/scene.mjs";
import { password, Site } from "./support/site.mjs";

const site = new Site();
const scene = scenesOf(site);

const blur = (view) => view.page.evaluate(() => document.activeElement.blur());

scene("keyboard shortcuts select, open, save and create users", { email: root }, async (view) => {
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
  await view.waitUntilHidden(".selection");
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
  assert.ok((await site.users()).some(({ name }) => name === `${names[1]} II`));
  await view.type("dialog input[name=name]", names[1]);
  await view.key("Escape");
  await view.read("Discard your edits?");
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

scene("keyboard shortcuts are listed, and can be disabled", { email: root }, async (view) => {
  await blur(view);
  await view.key("?");
  await view.read("Keyboard shortcuts", "dialog h2");
  await view.read("Select", "dialog");
  await view.check("the keyboard shortcuts");
  await view.click("dialog .choice input");
  await view.key("Escape");
  await view.page.waitForFunction(() => !document.querySelector("dialog"));
  await view.focusOn("Users");
  const expectDisabled = async () => {
    await blur(view);
    await view.key("n", "?", "j");
    assert.equal(await view.has("dialog"), false);
    assert.equal(await view.page.evaluate(() => document.activeElement === document.body), true);
  };
  await expectDisabled();
  await view.page.reload();
  await view.see("tbody tr");
  await expectDisabled();
  await view.press("Keyboard shortcuts");
  await view.click("dialog .choice input");
  await view.key("Escape");
  await view.focusOn("Keyboard shortcuts");
  await view.key("n");
  await view.read("New user", "dialog h2");
});

scene("an admin sees no shortcut for selecting users", { email: admin }, async (view) => {
  await view.press("Keyboard shortcuts");
  assert.ok(!(await view.text("dialog")).includes("Select"));
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
  await view.waitUntilIdle();
  await view.tabTo("input[type=search]");
  await view.write("radia");
  await view.expectNames("Radia Perlman");
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
  await view.waitUntilIdle();
  await view.tabTo("dialog section button.danger");
  await view.key("Enter");
  await view.focusOn("address");
  await view.key("Escape");
  await view.waitUntilHidden("dialog:not(.drawer)");
  await view.focusOn("Delete user");
  await view.closeDialog();
  await view.focusOn("Radia J. Perlman");
  await view.key("Enter");
  await view.see("dialog .facts dd");
  await view.waitUntilIdle();
  await view.tabTo("dialog section button.danger");
  await view.key("Enter");
  await view.write("radia.perlman@example.org");
  await view.key("Enter");
  await view.read("Radia J. Perlman has been deleted.");
  await view.waitUntilHidden("dialog");
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
  await view.waitUntilHidden("dialog");
  await view.focusOn("New user");
  await view.tabTo(".bar button");
  await view.key("Enter");
  await view.read("You have signed out.");
});

for (const email of [root, admin])
  scene(`a sort button that has the focus is visible on a phone, for ${email}`, { email, width: 390, height: 844 }, async (view) => {
    await view.waitUntilIdle();
    const hidden = await view.page.$$eval("thead button", (buttons) => buttons.filter((button) => {
      button.focus();
      const { left, right, top, bottom } = button.getBoundingClientRect();
      return document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest("button") !== button;
    }).map((button) => button.textContent));
    assert.deepEqual(hidden, []);
    await view.page.$eval("thead th:last-child button", (button) => button.focus());
    await view.check("a focused sort button on a phone");
  });
