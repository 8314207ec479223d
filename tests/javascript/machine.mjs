// What the launcher found on this machine, and the programs that the tests run.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Returns an environment variable that the suite's launcher sets. */
export const setting = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the tests with the suite's script, such as tests/console/run`);
  return value;
};

/** The directory that remains between runs. It contains Node.js and the suite's packages. */
export const folder = setting("USERADMIN_TEST_FOLDER");
/** The directory of this run. */
export const work = setting("USERADMIN_TEST_WORK");
export const packages = join(folder, "node_modules");
export const repository = setting("USERADMIN_TEST_REPOSITORY");
export const httpd = setting("USERADMIN_TEST_HTTPD");
// Leak detection is off, because httpd does not free all of its memory when it exits.
export const httpdEnvironment = process.env.USERADMIN_TEST_SANITIZER_RUNTIME
  ? {
      ...process.env,
      LD_PRELOAD: process.env.USERADMIN_TEST_SANITIZER_RUNTIME,
      ASAN_OPTIONS: "detect_leaks=0:handle_abort=1",
      UBSAN_OPTIONS: "halt_on_error=1:print_stacktrace=1",
    }
  : process.env;
export const built = (file) => join(setting("USERADMIN_TEST_BUILD"), file);
export const httpdModule = (file) => join(setting("USERADMIN_TEST_HTTPD_MODULES"), file);

export const { load } = await import(pathToFileURL(join(folder, "packages.mjs")));

export * from "./processes.mjs";
