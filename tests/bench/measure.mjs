// Chooses the cases, measures them and prints the table.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

import { cases } from "./cases.mjs";
import { audit, bans } from "./support/costs.mjs";
import { creates, createsWithScale } from "./support/creates.mjs";
import { connected } from "./support/databases.mjs";
import { comparisons, measureLines } from "./support/lines.mjs";
import { folder, httpd, repository, run, Skipped } from "./support/machine.mjs";
import { stopAll } from "./support/servers.mjs";
import { sizing } from "./support/sizing.mjs";
import { asManual, asMarkdown, asText } from "./support/table.mjs";

const say = (text) => process.stderr.write(`${text}\n`);

/** Measures the cases that have more than lines. Each function takes the settings, the case and its rows, and returns more rows. */
const special = {
  audit,
  bans,
  creates,
  "creates-scale": createsWithScale,
  sizing,
};

const linesOf = async (one, settings) => {
  const results = await measureLines(one.lines, settings);
  return results.map((result) => ({ ...result, comparisons: comparisons(result, results) }));
};

const measureCase = async (one, settings) => {
  const rows = one.lines ? await linesOf(one, settings) : [];
  try {
    return special[one.name] ? [...rows, ...(await special[one.name](settings, one, rows))] : rows;
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    return [...rows, { name: one.title, skipped: error.message }];
  }
};

/** Returns the versions of the software as a sentence. */
const versions = async () => {
  const { rows } = await connected("useradmin", (client) => client.query("SHOW server_version"));
  const numberIn = (text) => /[0-9]+(\.[0-9]+)+/.exec(text)?.[0] ?? "unknown";
  const packaged = (name) =>
    JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
  const parts = [
    `httpd ${numberIn((await run(httpd, ["-v"])).output)} (event, one child)`,
    `PostgreSQL ${numberIn(rows[0].server_version)}`,
    `SQLite ${numberIn((await run("sqlite3", ["--version"])).output)}`,
    `Node.js ${process.versions.node}`,
    ...["fastify", "pg", "better-auth"].map((name) => `${name} ${packaged(name)}`),
    "wrk with one thread and 16 keep-alive connections unless stated otherwise",
  ];
  return parts.join(", ");
};

const page = "packaging/manual/speed.xml";

/** Replaces the text between the comments bench:begin and bench:end in the manual. */
const updateManual = (text) => {
  const file = join(repository, page);
  const [begin, end] = ["<!-- bench:begin -->\n", "<!-- bench:end -->\n"];
  const source = readFileSync(file, "utf8");
  const [from, to] = [source.indexOf(begin) + begin.length, source.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`${file} has no ${begin.trim()} and ${end.trim()}`);
  writeFileSync(file, `${source.slice(0, from)}${text}\n${source.slice(to)}`);
};

/** Writes the table to RESULTS.md and the manual. */
const writeResults = async (measured, conditions) => {
  writeFileSync(
    join(repository, "tests", "bench", "RESULTS.md"),
    `# What tests/bench/run measured\n\n${conditions}.\n${await versions()}.\n\n${asMarkdown(measured)}\n`,
  );
  updateManual(`<p>${conditions}:</p>\n\n${asManual(measured.filter(({ isShown }) => isShown))}`);
  say(`The table is in tests/bench/RESULTS.md and ${page}.`);
};

/** Returns the named cases. If none is named, returns all but those that run only if named. */
const chosen = (names) => cases.filter((one) => (names.length === 0 ? !one.isOnlyIfNamed : names.includes(one.name)));

/** Measures the chosen cases and prints the table. Returns the exit status. */
export const measure = async ({ names, rounds, seconds, quick, write }) => {
  const unknown = names.filter((name) => !cases.some((one) => one.name === name));
  if (unknown.length > 0) {
    say(`No case is called ${unknown.join(", ")}: tests/bench/run --list prints their names.`);
    return 1;
  }
  if (write && names.length > 0) {
    say("--write requires all cases: omit --case.");
    return 1;
  }
  const settings = { rounds: quick ? 1 : rounds, seconds: quick ? 1 : seconds, isQuick: Boolean(quick), say };
  rmSync(join(folder, "servers"), { recursive: true, force: true });
  const measured = [];
  let status = 0;
  const began = Date.now();
  for (const one of chosen(names)) {
    const { title, isShown } = one;
    say(`${title} (${one.name})`);
    try {
      const rows = await measureCase(one, settings);
      measured.push({ title, isShown, rows });
    } catch (error) {
      // Continue with the other cases.
      say(error.stack);
      status = 1;
      measured.push({ title, rows: [{ name: title, skipped: "it failed; the reason is above" }] });
      await stopAll();
    }
  }
  console.log(asText(measured));
  const [{ model }] = cpus();
  const conditions = `${cpus().length} processors (${model.trim()}), medians of ${settings.rounds} rounds of ${settings.seconds} s`;
  const bounds = measured
    .flatMap(({ rows }) => rows.flatMap(({ comparisons: all = [] }) => all))
    .filter(({ isHeld }) => isHeld !== undefined);
  console.log(
    `\n${conditions}; ${bounds.filter(({ isHeld }) => isHeld).length} of ${bounds.length} goals are met; ` +
      `it took ${Math.round((Date.now() - began) / 60_000)} minutes.`,
  );
  if (write && status === 0) await writeResults(measured, conditions);
  else if (write) say("Nothing is written, since not every case could be measured.");
  return status;
};
