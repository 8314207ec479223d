// Makes the pages of this folder from the recipes, and the browser that shows them.
import { accessSync, constants, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";

import { frontEndPackages, load, packages, repository, run, work } from "../support/machine.mjs";

const { load: loadFrontEnd } = await import(pathToFileURL(join(frontEndPackages, "packages.mjs")));

/** Debian's Chromium; undefined where there is none. */
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

/** A copy of the recipes and pages, with the types of a service that serves its document at this address. */
export class Sources {
  static async make(document) {
    const sources = new Sources();
    sources.folder = join(work, "front_ends");
    for (const part of ["conf/recipes", "tests/interop/front_ends"])
      cpSync(join(repository, part), join(sources.folder, part), { recursive: true });
    symlinkSync(join(frontEndPackages, "node_modules"), join(sources.folder, "node_modules"));
    const { default: typesOf, astToString } = await load("openapi-typescript");
    const types = await typesOf(document);
    writeFileSync(join(sources.folder, "conf/recipes/users.d.ts"), astToString(types));
    return sources;
  }

  #page(name) {
    return join(this.folder, "tests/interop/front_ends", `${name}.tsx`);
  }

  /** What TypeScript has to say against these pages; empty where they are right. */
  async problems(names) {
    const options = "--noEmit --strict --skipLibCheck --jsx react-jsx --target es2022 --module esnext";
    const { output } = await run(process.execPath, [
      join(packages, "typescript/bin/tsc"),
      ...`${options} --moduleResolution bundler`.split(" "),
      ...names.map((name) => this.#page(name)),
    ]);
    return output;
  }

  /** Writes a page into a folder: NAME.html with all that it needs. */
  async bundle(name, folder) {
    const { build } = await loadFrontEnd("esbuild");
    const { outputFiles } = await build({
      entryPoints: [this.#page(name)],
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
