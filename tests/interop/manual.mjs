// Checks that the tables in the manual match the results of this run.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, test } from "node:test";

import * as machine from "./support/machine.mjs";
import { page, tableOf, tableOfManual, tables } from "./support/matrix.mjs";

describe(page, () => {
  test("the tables in the manual match the results of these tests", (context) => {
    if (machine.only.source !== "(?:)") return context.skip("this run was not of all the tests");
    for (const table of tables) assert.ok(table.isComplete, "a test did not finish");
    writeFileSync(machine.results, JSON.stringify(tables));
    for (const table of tables)
      assert.equal(
        tableOfManual(machine.repository, table),
        tableOf(table),
        `put the output of tests/interop/matrix into ${page}`,
      );
  });
});
