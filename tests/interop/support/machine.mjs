// What the launcher found on this machine for the interop tests.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

import { folder, load, repository, setting, work } from "../../javascript/machine.mjs";

/** Matches the titles of the sites to run. */
export const only = new RegExp(process.env.INTEROP_ONLY ?? "");
export const results = join(folder, "results.json");
/** The directory with the packages of front_ends/package.json. */
export const frontEndPackages = join(folder, "front_ends");
export const socket = setting("INTEROP_SOCKET");
export const postgresqlProgram = (name) => join(setting("INTEROP_POSTGRESQL"), name);

/** Loads a TypeScript file of the repository that imports only types. */
export const loadTypeScript = async (path) => {
  const { default: typescript } = await load("typescript");
  const compilerOptions = { target: "es2022", module: "esnext" };
  const { outputText } = typescript.transpileModule(readFileSync(join(repository, path), "utf8"), { compilerOptions });
  const file = join(work, `${basename(path, ".ts")}.mjs`);
  writeFileSync(file, outputText);
  return import(pathToFileURL(file));
};

export * from "../../javascript/machine.mjs";
