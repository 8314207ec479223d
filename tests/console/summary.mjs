// Tests the numbers and the chart above the list.
import assert from "node:assert/strict";

import { root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site();
const extras = new Site({ directives: "UserAdminExtras On" });
const scene = scenesOf(site);

/** Returns how many of the users were created today or in the 13 days before. */
const newUsers = (users) => {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  midnight.setDate(midnight.getDate() - 13);
  return users.filter((each) => new Date(each.createdAt) >= midnight).length;
};

scene("the summary shows the total and new users by day", { email: root }, async (view) => {
  await view.see(".chart svg");
  assert.equal(await view.text(".total .number"), "37");
  const label = await view.page.$eval(".chart svg", (chart) => chart.getAttribute("aria-label"));
  const counts = label.split(". ")[1].split("; ").map((each) => Number(each.split(": ")[1]));
  assert.equal(counts.length, 14);
  const wanted = newUsers(await site.users());
  assert.equal(counts.reduce((sum, each) => sum + each), wanted);
  await view.read(`${wanted} in 14 days`, ".chart");
  assert.ok(view.requests.filter((each) => each.includes("limit=1&")).length <= 17, "too many requests");
  await view.click(".counts button:first-child");
  await view.waitUntilIdle();
  const banned = (await site.users()).filter((each) => each.banned).map((each) => each.name);
  assert.deepEqual((await view.names()).toSorted(), banned.toSorted());
  await view.read(`${banned.length} banned, including expired bans`, ".counts");
});

scene("a summary that fails to load can be reloaded", { email: root }, async (view) => {
  const failure = { status: 503, body: JSON.stringify({ success: false, error: "Servicio no disponible temporalmente" }) };
  let fails = true;
  await view.intercept((request) => fails && request.url().includes("summary=") && failure);
  await view.page.reload();
  await view.read("The service is busy. Try again in a moment.", ".counts");
  assert.equal(await view.text(".total .number"), "–");
  await view.check("a summary that failed to load");
  fails = false;
  await view.press("Reload", ".counts");
  await view.read("37", ".total .number");
  await view.see(".chart svg");
  assert.equal(await view.page.evaluate(() => document.activeElement.matches(".counts button")), true);
});

scene("the counts in the summary match the list", { email: root, site: extras }, async (view) => {
  await view.see(".chart svg");
  const users = await extras.users();
  await view.read(String(users.length), ".total .number");
  const shown = await view.text(".counts");
  assert.ok(shown.includes(`${users.filter((each) => each.banned).length} ban`), shown);
  assert.ok(shown.includes(`${users.filter((each) => !each.emailVerified).length} not verified`), shown);
  await view.read(`${newUsers(users)} in 14 days`, ".chart");
});
