// Tests each recipe for a front end in Debian's Chromium: listing, filtering, paging, editing and deleting users.
import assert from "node:assert/strict";
import { join } from "node:path";

import { browserProgram, eventuallyEquals, isShown, openBrowser, Sources, visit } from "./front_ends/build.mjs";
import { newest } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { newUserFields } from "./support/site.mjs";
import { asMigrated } from "./support/styles.mjs";

const directives =
  '<Location "/api/users/openapi.json">\n  SetHandler useradmin-openapi\n</Location>\n' +
  '<LocationMatch "^/front-ends/.*html$">\n  ForceType text/html\n</LocationMatch>\n' +
  '<LocationMatch "^/front-ends/.*js$">\n  ForceType text/javascript\n</LocationMatch>\n';

/** A page without a component library, from page.tsx. */
const plain = {
  emails: (page) => page.locator("li button").allTextContents(),
  turn: (page) => page.getByRole("button", { name: "Next" }).click(),
  turnBack: (page) => page.getByRole("button", { name: "Previous" }).click(),
  open: (page, email) => page.getByRole("button", { name: email }).click(),
  remove: (page) => page.getByRole("button", { name: "Delete" }).click(),
};

/** The actions of a user on each page. */
const pages = {
  "react-admin": {
    emails: (page) => page.locator("tbody td.column-email").allTextContents(),
    turn: (page) => page.getByLabel("Go to next page").click(),
    turnBack: (page) => page.getByLabel("Go to previous page").click(),
    open: (page, email) => page.getByText(email, { exact: true }).click(),
    remove: async (page) => {
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Confirm" }).click();
    },
  },
  refine: plain,
  "tanstack-query": plain,
};

const perPage = 5;

let browser;
let sources;

const prepare = async (site) => {
  if (!browser) {
    browser = await openBrowser();
    site.beforeClose(() => browser.close());
  }
  sources ??= Sources.make(new URL(`${site.httpd.address}/api/users/openapi.json`));
  return sources;
};

/** Opens a page as a caller and uses it. */
const withPage = async (site, name, { cookieName, cookieValue }, work) => {
  await (await prepare(site)).bundle(name, join(site.httpd.folder, "documents", "front-ends"));
  const address = `${site.httpd.address}/front-ends/${name}.html`;
  const cookies = [{ name: cookieName, value: cookieValue, url: site.httpd.address }];
  await visit(browser, address, cookies, (page) => work(page, pages[name]));
};

/** Searches until the list shows only one person. After a late response, react-admin may show the old list again. */
const find = async (page, emails, words, person) => {
  const answered = page.waitForResponse((response) => new URL(response.url()).searchParams.get("search") === words);
  await page.getByLabel("Search").fill(words);
  // Until then the page shows the previous list, which may also contain that person.
  await answered;
  await eventuallyEquals(() => emails(page), [person.email]);
};

describeSite(
  "front ends",
  newest,
  asMigrated,
  (check) => {
    // Not every system has Chromium.
    if (!browserProgram) return;

    check("the recipes compile with the types of the document", async (site) => {
      assert.equal(await (await prepare(site)).problems(Object.keys(pages).map((name) => `${name}.tsx`)), "");
    });

    for (const name of Object.keys(pages)) {
      check(`${name} lists the matching users, page by page and back`, async (site) => {
        const people = [];
        for (let number = 0; number < perPage + 3; ++number)
          people.push(await site.createUser(newUserFields({ name: `${name} lista ${number}` })));
        const emails = people.map((person) => person.email);
        await withPage(site, name, site.root, async (page, { emails: shown, turn, turnBack }) => {
          await page.getByLabel("Search").fill(`${name} lista`);
          await eventuallyEquals(() => shown(page), emails.slice(0, perPage));
          await turn(page);
          await eventuallyEquals(() => shown(page), emails.slice(perPage));
          await turnBack(page);
          await eventuallyEquals(() => shown(page), emails.slice(0, perPage));
        });
      });

      check(`${name} saves edits, unless somebody has changed the user`, async (site) => {
        const { session } = await site.createSignedInUser(newUserFields({ role: "admin" }));
        const person = await site.createUser(newUserFields({ name: `${name} antes` }));
        await withPage(site, name, session, async (page, { emails, open }) => {
          const edit = async (present, wanted) => {
            await find(page, emails, present, person);
            await open(page, person.email);
            await page.getByRole("textbox", { name: "Name" }).fill(wanted);
          };
          await edit(`${name} antes`, `${name} después`);
          await page.getByRole("button", { name: "Save" }).click();
          await eventuallyEquals(async () => (await site.recordAtService(person.id)).name, `${name} después`);
          // The form disappears a moment later.
          await eventuallyEquals(() => page.getByRole("textbox", { name: "Name" }).count(), 0);
          await edit(`${name} después`, `${name} tarde`);
          await site.change(person.id, { name: `${name} de otro` });
          await page.getByRole("button", { name: "Save" }).click();
          await isShown(page, "El usuario ha cambiado");
          assert.equal((await site.recordAtService(person.id)).name, `${name} de otro`);
        });
      });

      check(`${name} saves edits behind a proxy that makes ETags weak`, async (site) => {
        const person = await site.createUser(newUserFields({ name: `${name} débil` }));
        await withPage(site, name, site.root, async (page, { emails, open }) => {
          await page.route(`**/api/users/${person.id}`, async (route) => {
            const response = await route.fetch();
            const headers = response.headers();
            await route.fulfill({ response, headers: { ...headers, etag: `W/${headers.etag}` } });
          });
          await find(page, emails, `${name} débil`, person);
          await open(page, person.email);
          await page.getByRole("textbox", { name: "Name" }).fill(`${name} fuerte`);
          await page.getByRole("button", { name: "Save" }).click();
          await eventuallyEquals(async () => (await site.recordAtService(person.id)).name, `${name} fuerte`);
          // The page may still read the user again.
          await page.unrouteAll({ behavior: "ignoreErrors" });
        });
      });

      check(`${name} deletes`, async (site) => {
        const person = await site.createUser(newUserFields({ name: `${name} se va` }));
        const status = async () => (await site.send("GET", `/api/users/${person.id}`)).status;
        await withPage(site, name, site.root, async (page, { emails, open, remove }) => {
          await find(page, emails, `${name} se va`, person);
          await open(page, person.email);
          await remove(page);
          await eventuallyEquals(status, 404);
          await eventuallyEquals(() => emails(page), []);
        });
      });
    }
    check("react-admin reads several users even if one was deleted", async (site) => {
      const person = await site.createUser(newUserFields({ name: "react-admin varios" }));
      await withPage(site, "react-admin", site.root, async (page, { emails }) => {
        await find(page, emails, "react-admin varios", person);
        const read = (ids) => page.evaluate((all) => window.dataProvider.getMany("users", { ids: all }), ids);
        const { data } = await read(["gone", person.id]);
        assert.deepEqual(data.map(({ email }) => email), [person.email]);
        await page.route("**/api/users/gone", (route) => route.fulfill({ status: 503, json: { success: false, error: "busy" } }));
        await assert.rejects(read(["gone", person.id]), /busy/);
      });
    });
  },
  { directives },
);
