// What the launcher found on this machine, and the programs that the tests run.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const setting = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the tests with tests/interop/run`);
  return value;
};

/** Matches the titles of the sites to run. */
export const only = new RegExp(process.env.INTEROP_ONLY ?? "");
export const work = setting("INTEROP_WORK");
export const packages = join(setting("INTEROP_FOLDER"), "node_modules");
export const results = join(setting("INTEROP_FOLDER"), "results.json");
/** The directory with the packages of front_ends/package.json. */
export const frontEndPackages = join(setting("INTEROP_FOLDER"), "front_ends");
export const repository = setting("INTEROP_REPOSITORY");
export const httpd = setting("INTEROP_HTTPD");
export const socket = setting("INTEROP_SOCKET");
// Leak detection is off, because httpd does not free all of its memory when it exits.
export const httpdEnvironment = process.env.INTEROP_SANITIZER_RUNTIME
  ? {
      ...process.env,
      LD_PRELOAD: process.env.INTEROP_SANITIZER_RUNTIME,
      ASAN_OPTIONS: "detect_leaks=0:handle_abort=1",
      UBSAN_OPTIONS: "halt_on_error=1:print_stacktrace=1",
    }
  : process.env;
export const built = (file) => join(setting("INTEROP_BUILD"), file);
export const httpdModule = (file) => join(setting("INTEROP_HTTPD_MODULES"), file);
export const postgresqlProgram = (name) => join(setting("INTEROP_POSTGRESQL"), name);

const { load } = await import(pathToFileURL(join(setting("INTEROP_FOLDER"), "packages.mjs")));
export { load };

/** Loads a TypeScript file of the repository that imports only types. */
export const loadTypeScript = async (path) => {
  const { default: typescript } = await load("typescript");
  const compilerOptions = { target: "es2022", module: "esnext" };
  const { outputText } = typescript.transpileModule(readFileSync(join(repository, path), "utf8"), { compilerOptions });
  const file = join(work, `${basename(path, ".ts")}.mjs`);
  writeFileSync(file, outputText);
  return import(pathToFileURL(file));
};

export * from "./processes.mjs";
