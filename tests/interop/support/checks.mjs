// Defines the tests of a site. Each test watches the error log and reports its result to the matrix.
import { after, before, describe, test } from "node:test";

import { newest } from "./applications.mjs";
import { only } from "./machine.mjs";
import { schemas } from "./matrix.mjs";
import { Site } from "./site.mjs";

const sites = [];

/** Runs the tests of all sites, `concurrency` sites at a time. */
export const runSites = (concurrency) =>
  describe("interop", { concurrency }, () => {
    for (const site of sites) site();
  });

/**
 * Defines the tests of one site. `body` gets a function check(sentence, test, place) that defines a test. `place` is a cell of
 * one of the manual's tables, {table, identity, column}, or a column of the table by schema. If a test returns false, it passes,
 * but its cell says no.
 * `directives` may be a function of the site. It is called once the database exists, and starts the servers that the directives
 * name. With `runsSchema`, `useradminctl schema` runs before httpd starts, because children find new tables only after a while.
 */
export const describeSite = (title, version, style, body, { directives = "", runsSchema = false } = {}) => {
  const release = version === newest ? `${version.name} (newest)` : version.name;
  const name = `better-auth ${release}, ${style.name}: ${title}`;
  if (!only.test(name)) return;
  sites.push(() =>
    describe(name, { concurrency: 1 }, () => {
      let site;
      before(async () => (site = await Site.open(version, style, directives, runsSchema)));
      after(() => site?.close());
      body((sentence, run, place) => {
        const cell =
          typeof place === "string"
            ? { table: schemas, identity: [version.name, style.name], column: place }
            : place;
        cell?.table.row(cell.identity);
        test(sentence, async () => {
          let works = false;
          try {
            const result = await run(site);
            await site.httpd.finishTest();
            works = result !== false;
          } catch (failure) {
            const problem = await site?.httpd?.finishTest().then(
              () => "",
              (other) => other.message,
            );
            if (problem && failure.message !== problem) failure.message += `\n${problem}`;
            throw failure;
          } finally {
            cell?.table.record(cell.identity, cell.column, works);
          }
        });
      });
    }),
  );
};
