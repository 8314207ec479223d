// Measures the lines of a case alternately and compares the results with the bounds.
import { record } from "../cases.mjs";
import { contenders, start } from "./contenders.mjs";
import { database, waitForIdleDatabase, expected } from "./databases.mjs";
import { ask, drive, median } from "./drive.mjs";
import { Skipped } from "./machine.mjs";
import { waitForIdleProcesses } from "./servers.mjs";

/** Parses a record from the smallest handler, which returns the columns as the database formats them. */
const recordOfFloor = (text) => {
  // The handler escapes nothing, and the name contains quotation marks.
  const values = text.slice(2, -2).split('","');
  const timestamp = (value) => new Date(value.replace(/\+00$/, "Z")).toISOString();
  const [id, name, email, role, emailVerified, image, createdAt, updatedAt, banned, banReason, banExpires] =
    values;
  return {
    id,
    name,
    email,
    role,
    emailVerified: emailVerified === "t",
    image,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
    banned: banned === "t",
    banReason: banReason || null,
    banExpires: banExpires || null,
  };
};

/** Returns whether a response matches the database. */
const isCorrect = async ({ request, database, contender }, text) => {
  if (contenders[contender].isFloor) return JSON.stringify(recordOfFloor(text)) === JSON.stringify(record);
  if (request.isOfClient) {
    const { users, total } = JSON.parse(text);
    const wanted = await expected(database.users, request);
    return total === wanted.total && JSON.stringify(users.map(({ id }) => id)) === JSON.stringify(wanted.ids);
  }
  const { success, data, pagination } = JSON.parse(text);
  if (request.isRead) return success && JSON.stringify(data) === JSON.stringify(record);
  const { ids, total } = await expected(database.users, request);
  return (
    success &&
    pagination.total === total &&
    pagination.totalPages === Math.ceil(total / 20) &&
    JSON.stringify(data.map(({ id }) => id)) === JSON.stringify(ids) &&
    data.every((user) => Object.keys(user).join() === Object.keys(record).join())
  );
};

/** Waits until the server and the database are idle. */
export const waitUntilIdle = async (server) => {
  await waitForIdleDatabase();
  await waitForIdleProcesses(server.pids);
};

/** Returns the warm-up time in seconds. A JIT-compiled program needs the most. */
const warmUp = ({ contender }) => (contenders[contender].isCompiledMeanwhile ? 3 : 1);

/** Resolves to the promise's value, or to the error if it was rejected with Skipped. */
const returnSkipped = (work) =>
  work.catch((error) => {
    if (error instanceof Skipped) return error;
    throw error;
  });

/** Starts the servers for the lines of a case, each once. */
class Field {
  #servers = new Map();

  async serverOf({ contender, database }) {
    const key = JSON.stringify([contender, database]);
    if (!this.#servers.has(key)) this.#servers.set(key, await returnSkipped(start(contender, database)));
    return this.#servers.get(key);
  }

  async stop() {
    await Promise.all([...this.#servers.values()].map((server) => server.stop?.()));
  }
}

/** Returns the request's path, or the link to it from the previous page. */
const pathOf = async ({ request: { path, isByCursor } }, server, headers) => {
  if (!isByCursor) return path;
  const before = new URL(server.address + path);
  before.searchParams.set("page", before.searchParams.get("page") - 1);
  const response = await ask(before.href, headers);
  return /<([^>]+)>; rel="next"/.exec(response.headers.link)[1];
};

const checkResponse = async ({ line, path, server, headers }) => {
  const response = await ask(server.address + path, headers);
  if (response.status !== 200 || !(await isCorrect(line, response.text)))
    throw new Error(
      `${contenders[line.contender].title} does not answer ${path} with what the database holds ` +
        `(its log is ${server.errors}):\n${response.status} ${response.text.slice(0, 2000)}`,
    );
};

/** Measures the lines. Each result has {rate, p50, p99, memory}, or {skipped}. */
export const measureLines = async (lines, { rounds, seconds, say }) => {
  // A database can be copied only while it has no connections.
  for (const { database: wanted } of lines) await returnSkipped(database(wanted));
  const field = new Field();
  const results = new Map(lines.map((line) => [line.name, { line, measured: [] }]));
  try {
    for (const line of lines) {
      const result = results.get(line.name);
      result.server = await field.serverOf(line);
      if (result.server instanceof Skipped) {
        result.skipped = result.server.message;
        continue;
      }
      result.headers = contenders[line.contender].headers(line.request.caller);
      result.path = await pathOf(line, result.server, result.headers);
      await checkResponse(result);
      // Warm up: open connections and let JavaScript compile.
      await drive(result.server.address + result.path, result.headers, {
        seconds: warmUp(line),
        connections: line.connections,
      });
    }
    const order = [...results.values()].filter(({ skipped }) => !skipped);
    for (let round = 1; round <= rounds; ++round) {
      // Alternate the order. Drift of the machine then affects all lines equally.
      for (const { line, path, server, headers, measured } of round % 2 ? order : order.toReversed()) {
        await waitUntilIdle(server);
        const figures = await drive(server.address + path, headers, {
          seconds,
          connections: line.connections,
        });
        measured.push(figures);
        say(`  round ${round}: ${line.name}: ${figures.rate.toFixed(0)}/s`);
      }
    }
    for (const result of order) await checkResponse(result);
    return [...results.values()].map(({ line, measured, server, skipped }) => ({
      name: line.name,
      line,
      skipped,
      ...(skipped
        ? {}
        : {
            rate: median(measured.map(({ rate }) => rate)),
            p50: median(measured.map(({ p50 }) => p50)),
            p99: median(measured.map(({ p99 }) => p99)),
            memory: server.memory,
          }),
    }));
  } finally {
    await field.stop();
  }
};

/** Compares a row's figure with its bound. Returns {text, value, wanted, isHeld}. Without a bound, isHeld is undefined. */
export const comparison = (text, value, { least, most }, unit = "") => {
  const number = (figure) => `${figure < 10 ? Number(figure.toFixed(2)) : Math.round(figure)}${unit}`;
  if (value === undefined) return { text, value: "-", wanted: "", isHeld: undefined };
  const wanted =
    least !== undefined ? `at least ${number(least)}` : most !== undefined ? `at most ${number(most)}` : "";
  const isHeld = wanted === "" ? undefined : least !== undefined ? value >= least : value <= most;
  return { text, value: number(value), wanted, isHeld };
};

/** Returns the comparisons for the bounds of a measured line with the other lines of its case. */
export const comparisons = (result, results) =>
  result.skipped
    ? []
    : result.line.bounds.map((bound) => {
        if (!bound.against) return comparison("p50", result.p50, bound, " ms");
        const other = results.find(({ name }) => name === bound.against);
        const value = other.skipped ? undefined : result[bound.of] / other[bound.of];
        return comparison(`${bound.of === "p50" ? "p50" : "rate"} of ${bound.against}`, value, bound, " ×");
      });
