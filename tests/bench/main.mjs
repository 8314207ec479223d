// Measures the service beside what could stand in its place, on this machine: tests/bench/run starts it.
//
// Each case is measured by itself: its contenders are started, one reply of each is compared with what the database
// holds, and wrk drives them in turns. A figure is the median of all rounds.
import { cases } from "./cases.mjs";

const words = process.argv.slice(2);

if (words.includes("--list")) {
  for (const { name, title } of cases) console.log(`${name.padEnd(14)} ${title}`);
  process.exit(0);
}

const { measure } = await import("./measure.mjs");

const options = { rounds: 3, seconds: 4, names: [] };
for (let place = 0; place < words.length; ++place)
  if (words[place] === "--rounds" || words[place] === "--seconds")
    options[words[place].slice(2)] = Number(words[++place]);
  else if (words[place].startsWith("--")) options[words[place].slice(2)] = true;
  else options.names.push(words[place]);

// Nothing may hold the program back: a connection that is left open, for one.
process.exit(await measure(options));
