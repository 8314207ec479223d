import { readFileSync } from "node:fs";

import { begin, end, tableOf } from "./matrix.mjs";

console.log(`${begin}\n${tableOf(JSON.parse(readFileSync(process.argv[2], "utf8")))}\n${end}`);
