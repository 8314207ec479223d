// Chooses the cases, measures them and prints the table.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

import { cases } from "./cases.mjs";
import { burst } from "./support/burst.mjs";
import { creates, createsWithScale } from "./support/creates.mjs";
import { connected } from "./support/databases.mjs";
import { comparisons, measureLines } from "./support/lines.mjs";
import { folder, httpd, php, repository, run, Skipped } from "./support/machine.mjs";
import { memory } from "./support/memory.mjs";
import { asSvg } from "./support/plot.mjs";
import { stopAll } from "./support/servers.mjs";
import { asMarkdown, asText } from "./support/table.mjs";
import { totals } from "./support/totals.mjs";

const say = (text) => process.stderr.write(`${text}\n`);

/** What is measured in another way than by lines alone: each is given the settings and gives rows. */
const special = {
  seventh: burst,
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

/** Measures what the options name, and prints it: the program's exit status. */
export const measure = async ({ names, rounds, seconds, quick, big, write }) => {
  const unknown = names.filter((name) => !cases.some((one) => one.name === name));
  if (unknown.length > 0) {
    say(`No case is called ${unknown.join(", ")}: tests/bench/run --list prints their names.`);
    return 1;
  }
  const settings = { rounds: quick ? 1 : rounds, seconds: quick ? 1 : seconds, isQuick: Boolean(quick), say };
  const chosen = cases.filter((one) =>
    names.length > 0 ? names.includes(one.name) : Boolean(one.isBig) === Boolean(big),
  );
  rmSync(join(folder, "servers"), { recursive: true, force: true });
  const measured = [];
  let plotted;
  let status = 0;
  const began = Date.now();
  try {
    for (const one of chosen) {
      say(`${one.title} (${one.name})`);
      const rows = await measureCase(one, settings);
      measured.push({ title: one.title, rows });
      if (one.isPlotted) plotted = asSvg(rows);
    }
  } catch (error) {
    say(error.stack);
    status = 1;
  } finally {
    await stopAll();
  }
  console.log(asText(measured));
  const minutes = (Date.now() - began) / 60_000;
  const [{ model }] = cpus();
  const settingsText =
    `${cpus().length} processors (${model.trim()}); medians of ${settings.rounds} rounds of ${settings.seconds} s each; ` +
    `${minutes.toFixed(1)} minutes in all`;
  console.log(`\n${settingsText}`);
  if (write && status === 0) {
    const suffix = big ? "-big" : "";
    const file = (name) => join(repository, "tests", "bench", name);
    if (plotted) writeFileSync(file(`list${suffix}.svg`), plotted);
    writeFileSync(
      file(`RESULTS${suffix.toUpperCase()}.md`),
      `# What tests/bench/run ${big ? "--big " : ""}measured\n\n${settingsText}.\n${await versions()}.\n\n` +
        (plotted ? `![Time of a list against the number of users](list${suffix}.svg)\n\n` : "") +
        `${asMarkdown(measured)}\n`,
    );
    say(`Written: tests/bench/RESULTS${suffix.toUpperCase()}.md`);
  }
  return status;
};
