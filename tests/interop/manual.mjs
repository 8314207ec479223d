// The table in the manual is the one that this run gives.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, test } from "node:test";

import { results } from "./support/checks.mjs";
import * as machine from "./support/machine.mjs";
import { page, tableOf, tableOfManual } from "./support/matrix.mjs";

describe(page, () => {
  test("the table of what works is the one that these tests give", (context) => {
    if (machine.only.source !== "(?:)") return context.skip("this run was not of all the tests");
    assert.ok(results.isComplete, "a test did not come to its end");
    writeFileSync(machine.results, JSON.stringify(results));
    const written = tableOfManual(machine.repository);
    if (written === undefined)
      return context.skip(`${page} has no place for the table; tests/interop/matrix prints it`);
    assert.equal(written, tableOf(results), `put the output of tests/interop/matrix into ${page}`);
  });
});
