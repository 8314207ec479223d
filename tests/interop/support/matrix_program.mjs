import { readFileSync } from "node:fs";

import { begin, end, tableOf } from "./matrix.mjs";

for (const table of JSON.parse(readFileSync(process.argv[2], "utf8")))
  console.log(`${begin(table)}\n${tableOf(table)}\n${end(table)}\n`);
