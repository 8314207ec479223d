// Tests messages and the focus.
import assert from "node:assert/strict";

import { make, root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site();
const scene = scenesOf(site);

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
  await view.readVisible("Nothing has changed.", "dialog .status");
});

scene("a failure is visible on a phone", { email: root, width: 390, height: 480 }, async (view) => {
  await view.openUser("emmy.noether@example.org");
  await view.intercept((request) => request.method() === "PUT" && { status: 503, body: "{}" });
  await view.page.$eval("dialog.drawer", (drawer) => drawer.scrollTo(0, drawer.scrollHeight));
  await view.press("Lift the ban");
  await view.readVisible("The service is busy.", "dialog .notice.warn");
});

scene("a change whose response was lost is not reported as failed", { email: root }, async (view) => {
  await view.openUser("emmy.noether@example.org");
  let status = 0;
  await view.intercept((request) => request.method() === "PUT" && status > 0 && { status, contentType: "text/html", body: "<html>" });
  const save = async (message) => {
    await view.type("dialog input[name=name]", `Emmy ${status}`);
    await view.press("Save changes");
    await view.read(message, "dialog form [role=alert]");
    await view.waitUntilIdle();
  };
  const unknown = "It is unknown whether this was done. Reload before you try again.";
  for (status of [502, 504]) await save(unknown);
  status = 500;
  await save("The request failed (status 500).");
  await view.page.setOfflineMode(true);
  status = 0;
  await save(unknown);
  await view.page.setOfflineMode(false);
});

scene("a success message replaces an earlier failure", { email: root }, async (view) => {
  const id = await make(view, "Failed Before", "before@example.org");
  await view.openUser("before@example.org");
  await view.ask("PUT", `/api/users/${id}`, { name: "Changed Before" });
  await view.type("dialog input[name=name]", "Edited");
  await view.press("Save changes");
  await view.read("Somebody has changed this user in the meantime. Nothing was saved.", "dialog .notice");
  await view.press("Ban");
  await view.press("Ban");
  // The first attempt fails, because the user has changed.
  await view.read("Nothing was saved.", "dialog:not(.drawer) [role=alert]");
  await view.press("Ban");
  await view.read("is banned.", "dialog.drawer .status");
  assert.equal(await view.text("dialog.drawer > .top > .notice"), "");
  assert.equal(await view.valueOf("name"), "Edited");
  await view.ask("DELETE", `/api/users/${id}`);
});

scene("a message disappears when the next edit begins", { email: root }, async (view) => {
  await view.openUser("hedy.lamarr@example.org");
  await view.press("Save changes");
  await view.read("Nothing has changed.", "dialog .status");
  await view.page.type("dialog input[name=name]", "x");
  assert.equal(await view.text("dialog .status"), "");
});

scene("the toast disappears even after another save", { email: root }, async (view) => {
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
  await view.expectNames("Toast A", "Toast B");
  await view.press("Toast A");
  await view.see("dialog.drawer .facts dd");
  await view.deleteUser("a.toast@example.org");
  await view.read("Toast A has been deleted.", ".toast");
  await view.expectNames("Toast B");
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
  await view.read("Loading …", "dialog .content");
  await release();
  await view.see("dialog.drawer .facts dd");
  await view.waitUntilIdle();
  assert.ok(!(await view.text("dialog")).includes("Loading"));
  assert.equal(await view.page.evaluate(() => document.activeElement.outerHTML.startsWith("<h2")), true);
  await view.focusOn("Hedy Lamarr");
});

scene("on a phone the toast covers no focused row", { email: root, width: 390, height: 640 }, async (view) => {
  await view.createUser("Maximiliano Fernández-Villaverde", "maximiliano@example.org");
  await view.waitUntilIdle();
  const [width, covered] = await view.page.evaluate(() => {
    const toast = document.querySelector(".toast").getBoundingClientRect();
    const rows = [...document.querySelectorAll("tbody .person button")].slice(0, -3).filter((button) => {
      // Places the button behind the toast.
      document.activeElement.blur();
      scrollBy(0, button.getBoundingClientRect().bottom - toast.bottom);
      button.focus();
      const { top, bottom } = button.getBoundingClientRect();
      return top < toast.bottom && bottom > toast.top;
    });
    return [toast.width, rows.map((button) => button.textContent)];
  });
  assert.ok(width > 300, `the toast is ${width} px wide`);
  assert.deepEqual(covered, []);
  await view.ask("DELETE", `/api/users/${(await site.userAt("maximiliano@example.org")).id}`);
});

for (const theme of ["light", "dark"])
  scene(`toast and chart have a contrast of 3:1, ${theme}`, { email: root, theme }, async (view) => {
    await view.createUser("Connie Trast", `${theme}@example.org`);
    await view.tabTo(".toast button");
    const contrasts = await view.page.evaluate(() => {
      const channels = (color) => color.match(/[\d.]+/g).map(Number);
      const luminance = (color) => {
        const [red, green, blue] = color.map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const contrast = (...colors) => {
        const [low, high] = colors.map(luminance).toSorted((one, other) => one - other);
        return (high + 0.05) / (low + 0.05);
      };
      const styleOf = (selector) => getComputedStyle(document.querySelector(selector));
      const ring = contrast(channels(styleOf(".toast button").outlineColor), channels(styleOf(".toast").backgroundColor));
      const below = channels(styleOf(".chart").backgroundColor);
      const { fill, opacity } = styleOf(".chart rect[class='']");
      return [ring, contrast(channels(fill).map((each, at) => each * opacity + below[at] * (1 - opacity)), below)];
    });
    for (const each of contrasts) assert.ok(each >= 3, `the contrasts are ${contrasts}`);
    await view.ask("DELETE", `/api/users/${(await site.userAt(`${theme}@example.org`)).id}`);
  });
