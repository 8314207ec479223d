// How the tests of a site are written: each has the error log watched, and tells the matrix its result.
import { after, before, describe, test } from "node:test";

import { newest } from "./applications.mjs";
import { only } from "./machine.mjs";
import { Results } from "./matrix.mjs";
import { Site } from "./site.mjs";

export const results = new Results();

const sites = [];

/** Has the tests of all sites run, so many sites at a time. */
export const runSites = (concurrency) =>
  describe("interop", { concurrency }, () => {
    for (const site of sites) site();
  });

/**
 * The tests of one site. `body` gets a function that writes one: check(sentence, test, column of the matrix).
 * `directives` may be a function that starts what they name. With `runsSchema`, `useradminctl schema` runs before httpd
 * starts, whose children find new tables only after a while.
 */
export const describeSite = (title, version, style, body, { directives = "", runsSchema = false } = {}) => {
  const release = version === newest ? `${version.name} (newest)` : version.name;
  const name = `better-auth ${release}, ${style.name}: ${title}`;
  if (!only.test(name)) return;
  sites.push(() =>
    describe(name, { concurrency: 1 }, () => {
      let site;
      before(async () => (site = await Site.open(version, style, typeof directives === "function" ? await directives() : directives, runsSchema)));
      after(() => site?.close());
      body((sentence, run, column) => {
        if (column) results.row(version.name, style.name);
        test(sentence, async () => {
          let passed = false;
          try {
            await run(site);
            await site.httpd.settle();
            passed = true;
          } catch (failure) {
            const trouble = await site?.httpd?.settle().then(
              () => "",
              (other) => other.message,
            );
            if (trouble && failure.message !== trouble) failure.message += `\n${trouble}`;
            throw failure;
          } finally {
            if (column) results.record(version.name, style.name, column, passed);
          }
        });
      });
    }),
  );
};
