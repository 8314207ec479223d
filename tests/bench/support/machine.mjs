// What the launcher found on this machine, and the programs that the benchmark runs.
import { join } from "node:path";

import { folder, setting } from "../../javascript/machine.mjs";

export const socket = setting("BENCH_SOCKET");
export const postgresqlPid = Number(setting("BENCH_POSTGRESQL_PID"));
export const contenderFile = (file) => join(folder, "contenders", file);
export const postgresqlProgram = (name) => join(setting("BENCH_POSTGRESQL"), name);
export const node = process.execPath;

export * from "../../javascript/machine.mjs";

/** Thrown if a case cannot be measured yet, or not on this machine. */
export class Skipped extends Error {}
