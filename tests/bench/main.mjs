// Compares the service with its alternatives on this machine. tests/bench/run starts it.
//
// Each case is measured separately: its contenders are started, one response from each is compared with the contents of the
// database, and wrk loads them in turn. Each figure is the median of all rounds.
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

// Exit explicitly, because an open connection would keep the process alive.
process.exit(await measure(options));
