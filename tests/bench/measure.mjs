// Chooses the cases, measures them and prints the table.
import { readFileSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

import { cases } from "./cases.mjs";
import { comparisons, measureLines } from "./support/lines.mjs";
import { folder, Skipped } from "./support/machine.mjs";
import { stopAll } from "./support/servers.mjs";
import { asText } from "./support/table.mjs";

const say = (text) => process.stderr.write(`${text}\n`);

/** What is measured in another way than by lines alone: each is given the settings and gives rows. */
const special = {};

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

/** Measures what the options name, and prints it: the program's exit status. */
export const measure = async ({ names, rounds, seconds, quick, big }) => {
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
  let status = 0;
  const began = Date.now();
  try {
    for (const one of chosen) {
      say(`${one.title} (${one.name})`);
      measured.push({ title: one.title, rows: await measureCase(one, settings) });
    }
  } catch (error) {
    say(error.stack);
    status = 1;
  } finally {
    await stopAll();
  }
  console.log(asText(measured));
  const [{ model }] = cpus();
  console.log(
    `\n${cpus().length} processors (${model.trim()}), ${settings.rounds} rounds of ${settings.seconds} s, ` +
      `${Math.round((Date.now() - began) / 1000)} s in all`,
  );
  return status;
};
