// Tests the console on a slow network.
import assert from "node:assert/strict";

import { root, scenesOf } from "./support/scene.mjs";
import { Site } from "./support/site.mjs";

const site = new Site();
const extras = new Site({ directives: "UserAdminExtras On" });
const scene = scenesOf(site);

const slow = { download: 500000, upload: 500000, latency: 400 };

scene("a slow network does not delay the first paint", { email: root }, async (view) => {
  const release = await view.hold((request) => request.url().endsWith("?caller"));
  await view.page.reload();
  await view.read("Users", "header.bar h1");
  await view.read("Loading …", "main");
  await release();
  await view.see("tbody tr");
});

for (const [width, height] of [[1280, 860], [390, 844]])
  scene(`the layout shifts little on a slow network, ${width} px wide`, { email: root, site: extras, width, height }, async (view) => {
    await view.page.evaluateOnNewDocument(() => {
      window.shifts = [];
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((each) => [each.value, ...each.sources.map((source) => source.node?.className ?? source.node?.nodeName)])))
        .observe({ type: "layout-shift", buffered: true });
    });
    await view.page.emulateNetworkConditions(slow);
    await view.page.reload();
    await view.read("1–20 of", ".foot");
    await view.waitUntilIdle();
    await view.openFirst();
    await view.waitUntilIdle();
    const shifts = await view.page.evaluate(() => window.shifts);
    assert.ok(shifts.reduce((sum, [value]) => sum + value, 0) < 0.05, JSON.stringify(shifts));
    await view.page.emulateNetworkConditions(null);
  });

scene("a button shows that its request is in progress", { email: root }, async (view) => {
  await view.openUser("alan.turing@example.org");
  const release = await view.hold((request) => request.method() === "PUT");
  await view.press("Lift the ban");
  await view.page.waitForFunction(() => document.querySelector("dialog button[aria-busy=true]")?.textContent === "Lift the ban");
  assert.equal(await view.page.$eval("dialog button[aria-busy=true]", (button) => getComputedStyle(button, "::after").height), "3px");
  await release();
  await view.read("The ban has been lifted.", "dialog .status");
  await view.waitUntilIdle();
  await view.ask("PUT", "/api/users/user-4", { banned: true, banReason: "spam" });
});

scene("opening the console and saving a name send few requests", { email: root, site: extras }, async (view) => {
  const sent = () => view.requests.filter((each) => !each.startsWith("data:"));
  view.requests.length = 0;
  await view.page.reload();
  await view.see(".chart rect");
  await view.waitUntilIdle();
  await view.read("37", ".total .number");
  assert.ok(sent().length <= 6, sent().join("\n"));
  await view.openUser("hedy.lamarr@example.org");
  view.requests.length = 0;
  await view.type("dialog input[name=name]", "Hedwig Kiesler");
  await view.save();
  await view.waitUntilIdle();
  assert.ok(sent().length <= 4, sent().join("\n"));
  await view.ask("PUT", "/api/users/user-17", { name: "Hedy Lamarr" });
});

scene("a button shows its progress in forced colors", { email: root }, async (view) => {
  await (await view.page.createCDPSession()).send("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
  const colors = await view.page.$eval(".tools .main", (button) => {
    button.ariaBusy = "true";
    const both = [button, "::after"].map((part) => getComputedStyle(button, part === button ? null : part).backgroundColor);
    button.ariaBusy = null;
    return both;
  });
  assert.notEqual(colors[0], colors[1]);
});
