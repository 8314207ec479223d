// Shared by cases that write: a copy of the data, servers, and figures measured in rounds.
import { contenders } from "./contenders.mjs";
import { copy, database, drop, params } from "./databases.mjs";
import { median } from "./drive.mjs";
import { waitUntilIdle } from "./lines.mjs";

/** Runs the function with a copy of a database, and drops the copy afterwards. */
export const withCopy = async (wanted, name, work) => {
  const { name: from } = await database(wanted);
  await copy(from, name);
  try {
    return await work({ driver: "pgsql", params: params(name), name });
  } finally {
    await drop(name);
  }
};

/** Runs the function with a contender on a database, and stops the contender afterwards. */
export const withServer = async (contender, data, lines, work) => {
  const server = await contenders[contender].start(data, lines);
  try {
    return await work(server, { ...contenders[contender].headers("superAdmin") });
  } finally {
    await server.stop();
  }
};

/** Measures the servers one after another. Every other round has the reverse order. Returns the results by name. */
export const measureInTurns = async (round, servers, measure) => {
  const measured = new Map();
  for (const [name, server] of round % 2 ? servers : servers.toReversed()) {
    await waitUntilIdle(server);
    measured.set(name, await measure(server));
  }
  return measured;
};

/** The medians of figures measured in rounds, by name. */
export class Measurements {
  #all = new Map();

  add(name, figures) {
    this.#all.set(name, [...(this.#all.get(name) ?? []), figures]);
  }

  median(name, figure) {
    return median(this.#all.get(name).map((one) => one[figure]));
  }

  row(name) {
    const of = (figure) => this.median(name, figure);
    return { name, rate: of("rate"), p50: of("p50"), p99: of("p99") };
  }
}
