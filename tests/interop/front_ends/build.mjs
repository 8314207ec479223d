// Builds the pages in this directory from the recipes, and opens them in a browser.
import assert from "node:assert/strict";
import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

import { newest } from "../support/applications.mjs";
import { eventually, frontEndPackages, load, packages, repository, run, work } from "../support/machine.mjs";
import { checkOf } from "../support/types.mjs";

const { load: loadFrontEnd } = await import(pathToFileURL(join(frontEndPackages, "packages.mjs")));

/** The path of Debian's Chromium, or undefined if it is not installed. */
export const browserProgram = process.env.PATH.split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find((program) => {
    try {
      accessSync(program, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

export const openBrowser = async () =>
  (await loadFrontEnd("playwright-core")).chromium.launch({
    executablePath: browserProgram,
    args: process.getuid() === 0 ? ["--no-sandbox"] : [],
  });

/** Polls until `read` returns the expected value. Fails if it never does. A page shows a response some time after its request. */
export const eventuallyEquals = async (read, expected) => {
  let seen;
  await eventually(async () => JSON.stringify((seen = await read())) === JSON.stringify(expected));
  assert.deepEqual(seen, expected);
};

export const isShown = (page, text) =>
  eventuallyEquals(() => page.getByText(text, { exact: true }).first().isVisible(), true);

/** Opens a page with these cookies and uses it. An error of the page's script fails the test. */
export const visit = async (browser, address, cookies, use) => {
  const context = await browser.newContext({ locale: "en-US" });
  try {
    await context.addCookies(cookies);
    const page = await context.newPage();
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(address);
    await use(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
};

const compilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  jsx: "react-jsx",
  target: "es2022",
  module: "esnext",
  moduleResolution: "bundler",
};

/** A copy of the recipes and pages. */
export class Sources {
  /** Makes a copy. `document` is an OpenAPI document or its URL. If it is given, the copy contains its types. */
  static async make(document) {
    const sources = new Sources();
    sources.folder = mkdtempSync(join(work, "front_ends-"));
    for (const part of ["conf/recipes", "tests/interop/front_ends"])
      cpSync(join(repository, part), join(sources.folder, part), { recursive: true });
    symlinkSync(join(frontEndPackages, "node_modules"), join(sources.folder, "node_modules"));
    // The front ends' packages do not include better-auth, so link the interop tests' release.
    mkdirSync(sources.#file("node_modules"));
    symlinkSync(join(packages, newest.packageName), sources.#file("node_modules/better-auth"));
    if (!document) return sources;
    const { default: typesOf, astToString } = await load("openapi-typescript");
    const types = await typesOf(document);
    writeFileSync(join(sources.folder, "conf/recipes/users.d.ts"), astToString(types));
    return sources;
  }

  #file(name) {
    return join(this.folder, "tests/interop/front_ends", name);
  }

  /** Returns TypeScript's errors in these files, or an empty string if there are none. */
  async problems(names) {
    const { output } = await run(process.execPath, [
      join(packages, "typescript/bin/tsc"),
      ...Object.entries(compilerOptions).flatMap(([name, value]) => [`--${name}`, String(value)]),
      ...names.map((name) => this.#file(name)),
    ]);
    return output;
  }

  /** Returns a check of values against the type that a function's promise resolves to. */
  checkOf(name, exported) {
    return checkOf(this.#file(name), exported, compilerOptions);
  }

  /** Writes NAME.html and its script to the directory. */
  async bundle(name, folder) {
    const { build } = await loadFrontEnd("esbuild");
    const { outputFiles } = await build({
      entryPoints: [this.#file(`${name}.tsx`)],
      // better-auth's client cannot resolve React from its own directory.
      nodePaths: [join(frontEndPackages, "node_modules")],
      bundle: true,
      minify: true,
      write: false,
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"production"' },
    });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.js`), outputFiles[0].contents);
    writeFileSync(
      join(folder, `${name}.html`),
      `<!doctype html><meta charset="utf-8"><div id="root"></div><script src="${name}.js"></script>`,
    );
  }
}
