// Tests the filters of the list.
import assert from "node:assert/strict";

import { admin, root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site();
const extras = new Site({ directives: "UserAdminExtras On" });
const scene = scenesOf(site);

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
    await view.waitUntilIdle();
    assert.equal(await view.text(".fold"), `${name} (1)`);
    await view.check("the filters on a phone");
    // Hidden filters stay selected and are counted.
    await view.press(`${name} (1)`);
    assert.deepEqual(await shownFilters(view), []);
    await view.page.reload();
    await view.expectNames("Dennis Ritchie", "Olivia Ortiz");
    assert.equal(await view.text(".fold"), `${name} (1)`);
    assert.ok((await view.page.$eval(".filter", (filter) => filter.textContent)).includes(first));
  });

scene("an admin on a phone sees only an admin's filters", { email: admin, width: 390, height: 844 }, async (view) => {
  await view.press("Filters");
  assert.deepEqual(await shownFilters(view), ["Status", "Email verified", "Created from", "Created to"]);
  await view.page.evaluate(() => (location.hash = "#role=admin&banned=true"));
  await view.read("Filters (1)", ".tools");
});

scene("on a wide screen all filters are visible", { email: root }, async (view) => {
  assert.equal((await shownFilters(view)).length, 5);
  assert.equal(await view.button("Filters"), null);
});

scene("users are filtered by creation date, or by the chart", { email: root, site: extras }, async (view) => {
  const [from, to] = [dayOf(Date.now() - 9 * 86400000), dayOf(Date.now() - 2 * 86400000)];
  const users = await extras.users();
  const names = (first, last) => users.filter(({ createdAt }) => dayOf(createdAt) >= first && dayOf(createdAt) <= last).map(({ name }) => name).sort();
  const listed = async (first, last) => {
    await view.waitUntilIdle();
    assert.deepEqual((await view.names()).sort(), names(first, last));
    assert.deepEqual(await view.page.$$eval("input[type=date]", (all) => all.map(({ value }) => value)), [first, last]);
  };
  await view.page.$$eval("input[type=date]", (inputs, days) => inputs.forEach((input, at) => {
    input.value = days[at];
    input.dispatchEvent(new Event("change"));
  }), [from, to]);
  await listed(from, to);
  assert.ok(names(from, to).length > 2);
  const asked = new URL(view.requests.findLast((each) => each.includes("createdBefore")), extras.address).searchParams;
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

scene("users are filtered and sorted by their last activity", { email: root, site: extras }, async (view) => {
  const choose = async (value) => {
    await view.choose("select:has([value='-365'])", value);
    await view.waitUntilIdle();
  };
  const cells = () => view.page.$$eval("tbody td:nth-child(4)", (all) => all.map(({ textContent }) => textContent));
  const { data } = await view.ask("GET", "/api/users?limit=100");
  await choose("30");
  const asked = new URL(view.requests.findLast((each) => each.includes("lastSeenAfter")), extras.address).searchParams;
  const day = new Date();
  day.setDate(day.getDate() - 30);
  assert.equal(new Date(asked.get("lastSeenAfter")).getTime(), day.setHours(0, 0, 0, 0));
  assert.deepEqual((await view.names()).sort(), data.filter(({ lastSeenAt }) => lastSeenAt).map(({ name }) => name).sort());
  assert.ok((await cells()).every((each) => /\d/.test(each)));
  const [latest] = await view.names();
  await choose("-90");
  assert.ok((await cells()).length > 2 && (await cells()).every((each) => each === "–"));
  await choose("");
  await view.press("Last activity", "thead");
  await view.waitUntilIdle();
  assert.equal(await view.page.evaluate(() => location.hash), "#sort=lastSeen+desc");
  assert.match((await cells())[0], /\d/);
  await view.press(latest, "tbody");
  await view.read("Last activity", ".facts");
});

/** Returns the day of a time in the local time zone. */
const dayOf = (time) => new Date(new Date(time).getTime() - new Date(time).getTimezoneOffset() * 60000).toISOString().slice(0, 10);

scene("typing a date sends no requests for incomplete years", { email: root, site: extras }, async (view) => {
  view.requests.length = 0;
  await view.page.focus("input[type=date]");
  await view.page.keyboard.type("11112026");
  await view.page.waitForFunction(() => location.hash === "#createdFrom=2026-11-11");
  await view.waitUntilIdle();
  const asked = view.requests.filter((each) => each.includes("createdAfter="));
  assert.ok(asked.length && asked.every((each) => each.includes("createdAfter=2026-11-10T22%3A59%3A59.999Z")), asked.join("\n"));
});

for (const language of ["en", "es"])
  scene(`no filter of the list is clipped in ${language}`, { email: root, site: extras, languages: [language] }, async (view) => {
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
