// What the launcher found on this machine, and the programs that the benchmark runs.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const setting = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the bench with tests/bench/run`);
  return value;
};

export const folder = setting("BENCH_FOLDER");
export const repository = setting("BENCH_REPOSITORY");
export const httpd = setting("BENCH_HTTPD");
export const socket = setting("BENCH_SOCKET");
export const postgresqlPid = Number(setting("BENCH_POSTGRESQL_PID"));
/** The account of httpd's children, if it differs from the benchmark's. */
export const childrenAccount = process.env.BENCH_CHILDREN ?? "";
export const loadHttpdModules = process.env.BENCH_LOAD_HTTPD_MODULES ?? "";
export const built = (file) => join(setting("BENCH_BUILD"), file);
export const contenderFile = (file) => join(folder, "contenders", file);
export const postgresqlProgram = (name) => join(setting("BENCH_POSTGRESQL"), name);
export const node = process.execPath;

const { load } = await import(pathToFileURL(join(folder, "packages.mjs")));
export { load };
export * from "../../javascript/processes.mjs";

/** Thrown if a case cannot be measured yet, or not on this machine. */
export class Skipped extends Error {}
