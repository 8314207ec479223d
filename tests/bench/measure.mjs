// Chooses the cases, measures them and prints the table.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

import { cases } from "./cases.mjs";
import { audit } from "./support/audit.mjs";
import { burst } from "./support/burst.mjs";
import { changesSqlite } from "./support/changes.mjs";
import { creates, createsWithScale } from "./support/creates.mjs";
import { connected } from "./support/databases.mjs";
import { comparisons, measureLines } from "./support/lines.mjs";
import { folder, httpd, php, repository, run, Skipped } from "./support/machine.mjs";
import { memory } from "./support/memory.mjs";
import { asSvg } from "./support/plot.mjs";
import { stopAll } from "./support/servers.mjs";
import { asManual, asMarkdown, asText } from "./support/table.mjs";
import { totals } from "./support/totals.mjs";

const say = (text) => process.stderr.write(`${text}\n`);

/** What is measured in another way than by lines alone: each is given the settings and gives rows. */
const special = {
  seventh: burst,
  audit,
  "changes-sqlite": changesSqlite,
  creates,
  "creates-scale": createsWithScale,
  memory,
  totals,
  big: burst,
};

const linesOf = async (one, settings) => {
  const results = await measureLines(one.lines, settings);
  return results.map((result) => ({ ...result, comparisons: comparisons(result, results) }));
};

const measureCase = async (one, general) => {
  const settings = { ...general, seconds: Math.min(general.seconds, one.seconds ?? Infinity) };
  const rows = one.lines ? await linesOf(one, settings) : [];
  try {
    return special[one.name] ? [...rows, ...(await special[one.name](settings, one, rows))] : rows;
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    return [...rows, { name: one.title, skipped: error.message }];
  }
};

/** What was measured with, as a sentence. */
const versions = async () => {
  const { rows } = await connected("useradmin", (client) => client.query("SHOW server_version"));
  const numberIn = (text) => /[0-9]+(\.[0-9]+)+/.exec(text)?.[0] ?? "unknown";
  const packaged = (name) =>
    JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
  const php8 = php ? `PHP ${numberIn((await run(php, ["-v"])).output)}` : "no PHP";
  const parts = [
    `httpd ${numberIn((await run(httpd, ["-v"])).output)} (event, one child)`,
    `PostgreSQL ${numberIn(rows[0].server_version)}`,
    `SQLite ${numberIn((await run("sqlite3", ["--version"])).output)}`,
    `Node.js ${process.versions.node}`,
    ...["fastify", "pg", "better-auth"].map((name) => `${name} ${packaged(name)}`),
    php8,
    "wrk with one thread and 16 keep-alive connections where nothing else is said",
  ];
  return parts.join(", ");
};

/** The manual's page about speed. */
const page = "packaging/manual/speed.xml";

/** Puts a text between its two comments that are there for it. */
const putIntoManual = (text) => {
  const file = join(repository, page);
  const [begin, end] = ["<!-- bench:begin -->\n", "<!-- bench:end -->\n"];
  const source = readFileSync(file, "utf8");
  const [from, to] = [source.indexOf(begin) + begin.length, source.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`${file} has no ${begin.trim()} and ${end.trim()}`);
  writeFileSync(file, `${source.slice(0, from)}${text}\n${source.slice(to)}`);
};

/** Leaves the table and the plot in the repository. */
const leave = async (measured, plotted, conditions, isBig) => {
  const [suffix, words] = isBig ? ["-big", "tests/bench/run --big"] : ["", "tests/bench/run"];
  const file = (name) => join(repository, "tests", "bench", name);
  writeFileSync(file(`list${suffix}.svg`), plotted);
  const caption = "Time of a list against the number of users";
  const results = `RESULTS${suffix.toUpperCase()}.md`;
  writeFileSync(
    file(results),
    `# What ${words} measured\n\n${conditions}.\n${await versions()}.\n\n![${caption}](list${suffix}.svg)\n\n${asMarkdown(measured)}\n`,
  );
  if (!isBig)
    putIntoManual(
      `<image src="list.svg" alt="${caption}"/>\n\n<p>${conditions}:</p>\n\n${asManual(measured.filter(({ isShown }) => isShown))}`,
    );
  say(
    `The table is in tests/bench/${results}${isBig ? "" : ` and ${page}`}, the plot in tests/bench/list${suffix}.svg.`,
  );
};

/** The cases that the options name. */
const chosen = ({ names, big }) =>
  cases.filter((one) => (names.length > 0 ? names.includes(one.name) : Boolean(one.isBig) === Boolean(big)));

/** Measures what the options name, and prints it: the program's exit status. */
export const measure = async ({ names, rounds, seconds, quick, big, write }) => {
  const unknown = names.filter((name) => !cases.some((one) => one.name === name));
  if (unknown.length > 0) {
    say(`No case is called ${unknown.join(", ")}: tests/bench/run --list prints their names.`);
    return 1;
  }
  if (write && names.length > 0) {
    say("--write wants all cases: leave --case out.");
    return 1;
  }
  const settings = { rounds: quick ? 1 : rounds, seconds: quick ? 1 : seconds, isQuick: Boolean(quick), say };
  rmSync(join(folder, "servers"), { recursive: true, force: true });
  const measured = [];
  let plotted;
  let status = 0;
  const began = Date.now();
  for (const one of chosen({ names, big })) {
    const { title, isShown } = one;
    say(`${title} (${one.name})`);
    try {
      const rows = await measureCase(one, settings);
      measured.push({ title, isShown, rows });
      if (one.isPlotted) plotted = asSvg(rows);
    } catch (error) {
      // The other cases are measured all the same.
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
    `\n${conditions}; ${bounds.filter(({ isHeld }) => isHeld).length} of ${bounds.length} bounds are held; ` +
      `it took ${Math.round((Date.now() - began) / 60_000)} minutes.`,
  );
  if (write && status === 0) await leave(measured, plotted, conditions, big);
  else if (write) say("Nothing is written, since not every case could be measured.");
  return status;
};
