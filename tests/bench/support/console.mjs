// Measures the console in Chromium on a slow network: first paint, first rows, and the number of requests while typing a search.
import { existsSync } from "node:fs";

import { contenders, start } from "./contenders.mjs";
import { median } from "./drive.mjs";
import { comparison } from "./lines.mjs";
import { load, Skipped } from "./machine.mjs";

const users = 1_000_000;
/** Latency of each request, in milliseconds. */
const latency = 400;
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

/** Runs in the page before its script. Records when the first row of the list appears. */
const watchRows = () => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector("tbody tr")) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.firstRows = performance.now())));
  }).observe(document, { childList: true, subtree: true });
};

/** Opens the console with an empty browser cache. */
const open = async (browser, address) => {
  const context = await browser.newContext({ extraHTTPHeaders: contenders.console.headers("superAdmin") });
  const page = await context.newPage();
  await page.addInitScript(watchRows);
  await (await context.newCDPSession(page)).send("Network.emulateNetworkConditions", { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 });
  await page.goto(`${address}/admin`);
  await page.waitForFunction(() => window.firstRows);
  return { context, page };
};

/** Returns the number of requests while twelve letters are typed, one every 250 ms. */
const requestsOfTyping = async (page) => {
  await page.waitForFunction(() => /[0-9]/.test(document.querySelector(".total .number").textContent) && !document.querySelector("[aria-busy=true]"));
  let requests = 0;
  page.on("request", () => ++requests);
  await page.type("input[type=search]", "zoraida ibañ", { delay: 250 });
  await page.waitForFunction(() => location.hash.includes("search=zoraida+iba%C3%B1") && !document.querySelector("[aria-busy=true]"));
  return requests;
};

export const consoleInBrowser = async ({ rounds, say }) => {
  if (!chromium) throw new Skipped("there is no Chromium here");
  const browser = await (await load("playwright-core")).chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server"] });
  const server = await start("console", { users, isScaled: true });
  const figures = { paint: [], rows: [], requests: [] };
  try {
    // The first request of a child also reads the system catalogs.
    await (await open(browser, server.address)).context.close();
    for (let round = 0; round < 3 * rounds; ++round) {
      const { context, page } = await open(browser, server.address);
      figures.paint.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
      figures.rows.push(await page.evaluate(() => window.firstRows));
      if (round < rounds) figures.requests.push(await requestsOfTyping(page));
      await context.close();
    }
  } finally {
    await browser.close();
    await server.stop();
  }
  const name = "median of all rounds";
  say(`  ${name}: ${JSON.stringify(figures, (_, value) => (typeof value === "number" ? Math.round(value) : value))}`);
  return [
    {
      name,
      comparisons: [
        comparison("first paint", median(figures.paint) / 1000, { most: 1 }, " s"),
        comparison("first rows", median(figures.rows) / 1000, { most: 1.6 }, " s"),
        comparison("requests while typing 12 letters", Math.max(...figures.requests), { most: 3 }),
      ],
    },
  ];
};
