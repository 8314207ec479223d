// Runs Chromium or Firefox, and checks every page for external requests, console errors and injected scripts.
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { createRequire } from "node:module";

import { eventually, folder, load, work } from "../../javascript/machine.mjs";
import { password } from "./site.mjs";

const puppeteer = (await load("puppeteer-core")).default;
const axe = readFileSync(
  createRequire(join(folder, "packages.mjs")).resolve("axe-core/axe.min.js"),
  "utf8",
);
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

const browsers = new Map();

/** Starts Chromium, with these arguments in addition. */
export const launchChromium = (more = []) =>
  puppeteer.launch({
    timeout: 120000,
    executablePath: process.env.CONSOLE_CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server", "--disable-background-networking",
      "--disable-component-update", "--font-render-hinting=none", "--hide-scrollbars", ...more],
  });

/** Returns the browser. Starts it at first use. */
const browserOf = (isFirefox) => {
  const name = isFirefox ? "firefox" : "chrome";
  if (!browsers.has(name))
    browsers.set(name, isFirefox ? puppeteer.launch({ browser: name, timeout: 120000, executablePath: process.env.CONSOLE_FIREFOX }) : launchChromium());
  return browsers.get(name);
};
export const stopBrowsers = async () => {
  for (const each of browsers.values()) await (await each.catch(() => null))?.close();
};

/** The default settings of a page. */
const plain = { width: 1280, height: 860, scale: 1, theme: "light", languages: ["en-GB", "en"], email: null, isFirefox: false };

export class View {
  /** Opens a site's console, signed in with the email address if there is one. */
  static async open(site, settings = {}) {
    const view = new View();
    view.site = site;
    view.settings = { ...plain, ...settings };
    const { isFirefox } = view.settings;
    view.context = await (await browserOf(isFirefox)).createBrowserContext();
    const page = (view.page = await view.context.newPage());
    page.setDefaultTimeout(60000);
    // Another open page may have the focus.
    if (!isFirefox) await (await page.createCDPSession()).send("Emulation.setFocusEmulationEnabled", { enabled: true });
    view.problems = [];
    view.requests = [];
    page.on("request", (request) => {
      const url = request.url();
      view.requests.push(url.replace(site.httpd.address, ""));
      if (!url.startsWith(`${site.httpd.address}/`) && !url.startsWith("data:") && !url.startsWith("blob:")) view.problems.push(`asked another server: ${url}`);
    });
    page.on("pageerror", (error) => view.problems.push(`threw: ${error.stack}`));
    page.on("console", (message) => {
      // Chromium logs every status from 400 on and every failure offline; the tests check those.
      if (!/^Failed to load resource: (the server responded with a status|net::ERR_INTERNET_DISCONNECTED)/.test(message.text()) && ["error", "warn"].includes(message.type()))
        view.problems.push(`complained: ${message.text()}`);
    });
    await page.evaluateOnNewDocument((languages) => {
      Object.defineProperty(navigator, "languages", { get: () => languages });
      window.violations = [];
      addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
      // The number of requests in progress, and when the last one ended.
      window.traffic = { inProgress: 0, ended: 0 };
      const { fetch } = window;
      const end = () => Object.assign(traffic, { inProgress: traffic.inProgress - 1, ended: performance.now() });
      window.fetch = (...request) => {
        ++traffic.inProgress;
        const response = fetch(...request);
        // Read a clone to its end, because the page may ignore the body.
        response.then((each) => each.clone().arrayBuffer()).then(end, end);
        return response;
      };
    }, view.settings.languages);
    if (!isFirefox)
      await page.emulateMediaFeatures([
        { name: "prefers-color-scheme", value: view.settings.theme },
        { name: "prefers-reduced-motion", value: "reduce" },
      ]);
    const { width, height, scale } = view.settings;
    await page.setViewport({ width, height, deviceScaleFactor: scale });
    await page.goto(site.address);
    await view.see("main:not([aria-busy])");
    if (view.settings.email) await view.signIn(view.settings.email);
    return view;
  }

  async signIn(email, with_ = password) {
    await this.type("input[name=email]", email);
    await this.type("input[name=password]", with_);
    await this.page.keyboard.press("Enter");
    await this.see("header.bar");
    await this.waitUntilIdle();
  }

  /** Waits until the element is visible. Returns it. */
  see(selector) {
    return this.page.waitForSelector(selector, { visible: true });
  }
  /** Waits until the text is visible on the screen and not covered. */
  async readVisible(text, selector) {
    await this.read(text, selector);
    const place = await this.page.$eval(selector, (part) => {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return { top, bottom, height: innerHeight, isAbove: part.contains(above) };
    });
    assert.ok(place.top >= 0 && place.bottom <= place.height && place.isAbove, `${selector} is out of sight: ${JSON.stringify(place)}`);
  }
  waitUntilHidden(selector) {
    return this.page.waitForSelector(selector, { hidden: true });
  }
  /** Waits until the page, or a part of it, contains the text. */
  async read(text, within = "body") {
    const found = await eventually(async () => (await this.text(within)).includes(text));
    assert.ok(found, `"${text}" is not in ${within}, which contains: ${await this.text(within)}`);
  }
  text(selector = "body") {
    return this.page.evaluate((each) => [...document.querySelectorAll(each)].map((node) => node.innerText).join("\n"), selector);
  }
  async has(selector) {
    return (await this.page.$(selector)) !== null;
  }
  async type(selector, text) {
    await this.see(selector);
    // The bar may cover the input. Setting the focus scrolls it into view.
    await this.page.focus(selector);
    await this.page.click(selector, { count: 3 });
    await this.page.keyboard.press("Backspace");
    await this.page.type(selector, text);
  }
  /** Returns the value of an input in the dialog. */
  valueOf(name) {
    return this.page.$eval(`dialog input[name=${name}]`, (input) => input.value);
  }
  async click(selector) {
    await this.see(selector);
    await this.page.click(selector);
  }
  /** Clicks the visible button with exactly this text. */
  async press(name, within = "body") {
    const button = await this.button(name, within);
    assert.ok(button, `there is no button "${name}" in ${within}`);
    await button.click();
  }
  async button(name, within = "body") {
    const found = await this.page.evaluateHandle((text, place) => {
      const dialogs = document.querySelectorAll("dialog[open]");
      const top = dialogs.length ? dialogs[dialogs.length - 1] : document;
      return [...(place === "body" ? top : top.querySelector(place)).querySelectorAll("button")].find((each) => (each.getAttribute("aria-label") ?? each.textContent) === text && each.checkVisibility()) ?? null;
    }, name, within);
    return found.asElement();
  }
  async choose(selector, value) {
    await this.see(selector);
    await this.page.select(selector, value);
  }
  /** Returns the names in the list. */
  names() {
    return this.page.$$eval("tbody .person button", (buttons) => buttons.map((each) => each.textContent));
  }
  async expectNames(...names) {
    const same = await eventually(async () => JSON.stringify(await this.names()) === JSON.stringify(names));
    assert.ok(same, `the list has ${JSON.stringify(await this.names())}, not ${JSON.stringify(names)}`);
  }
  /** Types into the search with the page's timers, which stay regular on a busy machine. delay: in milliseconds. */
  async typeInPage(text, delay) {
    await this.page.$eval("input[type=search]", async (input, letters, pause) => {
      for (const letter of letters) {
        input.value += letter;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }, text, delay);
  }
  async searchFor(text) {
    await this.type("input[type=search]", text);
    await this.waitForSearch(text);
  }
  /** Waits until the current search has completed. */
  async waitForSearch(text) {
    await this.page.waitForFunction((wanted) => (new URLSearchParams(location.hash.slice(1)).get("search") ?? "") === wanted, {}, text);
    await this.waitUntilIdle();
  }
  /** Responds in place of the server. responseTo returns the response, "held" to delay the request, or a false value to let it pass. */
  async intercept(responseTo) {
    await this.page.setRequestInterception(true);
    this.page.on("request", (request) => {
      if (request.isInterceptResolutionHandled()) return;
      const response = responseTo(request);
      if (response === "held") return;
      // The page may have aborted the request.
      if (response) request.respond({ status: 200, contentType: "application/json", ...response }).catch(() => {});
      else request.continue().catch(() => {});
    });
  }
  /** Makes the service respond like a standby. The history is read from the audit log, so it has no Warning. */
  async respondAsStandby() {
    await this.page.evaluate(() => {
      const own = window.fetch;
      window.fetch = async (url, options) => {
        const response = await own(url, options);
        const headers = new Headers(response.headers);
        if (!url.includes("/events")) headers.set("Warning", '110 - "Read from a standby; the last change that it has received dates from 2026-11-27T16:00:00.000Z"');
        return new Response(response.body, { status: response.status, headers });
      };
    });
  }
  /** Delays the first request for which matches returns true. The returned function lets it pass, or answers it with a response. */
  async hold(matches) {
    let held = null;
    await this.intercept((request) => {
      if (held || !matches(request)) return null;
      held = request;
      return "held";
    });
    return async (response) => {
      assert.ok(await eventually(() => held), "no request was held");
      // The page may have aborted the request.
      if (response) await held.respond({ status: 200, contentType: "application/json", ...response }).catch(() => {});
      else await held.continue().catch(() => {});
      await this.page.setRequestInterception(false);
    };
  }
  /** Searches, and delays the request until the returned function is called. */
  async holdSearch(text) {
    const matches = (request) => request.url().includes(`search=${text}`);
    const release = await this.hold(matches);
    await this.type("input[type=search]", text);
    await this.page.waitForRequest(matches);
    return release;
  }
  /** Sends a request with the page's session, bypassing the console. Returns the JSON of the response. */
  ask(method, path, body) {
    return this.page.evaluate(
      async (url, options) => (await fetch(url, { ...options, headers: { "Content-Type": "application/json" } })).json(),
      path, { method, body: JSON.stringify(body) });
  }
  /** Returns the text of the file that an action downloads. */
  async download(action) {
    const folder = mkdtempSync(join(work, "download-"));
    const session = await this.page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, browserContextId: this.context.id, eventsEnabled: true });
    const done = new Promise((resolve) => session.on("Browser.downloadProgress", ({ state }) => state === "completed" && resolve()));
    await action();
    await done;
    const [name] = readdirSync(folder);
    return readFileSync(join(folder, name), "utf8");
  }
  /** Creates a user with a generated password in the dialog. */
  async createUser(name, email) {
    await this.press("New user");
    await this.type("dialog input[name=name]", name);
    await this.type("dialog input[name=email]", email);
    await this.press("Generate");
    await this.press("Create user");
    await this.read(`${name} has been created.`, ".toast");
    await this.waitUntilHidden("dialog");
  }
  /** Saves the edits of the open user. */
  async save() {
    await this.press("Save changes");
    await this.read("Saved.", "dialog .status");
  }
  async closeDialog() {
    await this.key("Escape");
    await this.waitUntilHidden("dialog");
  }
  async openUser(email) {
    await this.searchFor(email);
    await this.openFirst();
    await this.waitUntilIdle();
  }
  /** Deletes the open user. `text` is what the dialog asks for: the address, or the identifier. */
  async deleteUser(text) {
    await this.press("Delete user");
    await this.type("dialog input[name=address]", text);
    await this.press("Delete user");
  }
  /** Opens the user in the first row. */
  async openFirst() {
    await this.click("tbody .person button");
    await this.see("dialog.drawer .facts dd");
  }
  /** Waits until no request is in progress and the list is loaded. */
  async waitUntilIdle() {
    await this.page.waitForFunction(() => !traffic.inProgress && performance.now() > traffic.ended + 60 && !document.querySelector("[aria-busy=true]"));
  }

  /** Runs the checks that apply to every page. */
  async check(name) {
    await this.waitUntilIdle();
    assert.deepEqual(this.problems, [], name);
    assert.deepEqual(await this.page.evaluate(() => window.violations), [], `${name}: violations of its policy`);
    assert.equal(await this.page.evaluate(() => window.hit), undefined, `${name}: a name was parsed as markup`);
    const wide = await this.page.evaluate(() => {
      const all = [document.documentElement, ...document.querySelectorAll("dialog[open]")];
      return all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => `${each.tagName} ${each.scrollWidth} > ${each.clientWidth}`);
    });
    assert.deepEqual(wide, [], `${name}: scrolls sideways`);
    await this.page.evaluate(axe);
    const { violations } = await this.page.evaluate((tags) => axe.run(document, { runOnly: tags, resultTypes: ["violations"] }), rules);
    assert.deepEqual(
      violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map((node) => `${node.target}: ${node.failureSummary}`) })),
      [], `${name}: WCAG 2.2 AA`);
  }
  async takeScreenshot(name) {
    await this.waitUntilIdle();
    await this.page.screenshot({ path: join(process.env.CONSOLE_SCREENSHOTS, `${name}.png`) });
  }

  async close() {
    await this.check("at the end");
    await this.context.close();
  }

  // --- Keyboard ---

  async key(...keys) {
    for (const each of keys) await this.page.keyboard.press(each);
  }
  /** Presses Tab until the element has the focus. Fails if the focus is not visible at each step. */
  async tabTo(selector) {
    for (let attempts = 0; attempts < 80; ++attempts) {
      await this.page.keyboard.press("Tab");
      const at = await this.page.evaluate((each) => {
        const focused = document.activeElement;
        const style = getComputedStyle(focused);
        return { found: focused.matches(each), seen: focused === document.body || style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, tag: focused.outerHTML.slice(0, 80) };
      }, selector);
      assert.ok(at.seen, `the focus cannot be seen: ${at.tag}`);
      if (at.found) return;
    }
    assert.fail(`Tab does not reach ${selector}`);
  }
  /** Waits until the focus is on the element with this text or name. */
  async focusOn(wanted) {
    const focused = () => this.page.evaluate(() => document.activeElement?.textContent || document.activeElement?.name || document.activeElement?.tagName);
    assert.ok(await eventually(async () => (await focused()) === wanted), `the focus is on "${await focused()}", not on "${wanted}"`);
  }
  /** Replaces the text of the focused input. */
  async write(text) {
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press("a");
    await this.page.keyboard.up("Control");
    await this.page.keyboard.type(text);
  }
}
