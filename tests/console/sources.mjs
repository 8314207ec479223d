// Tests the console's sources, without a browser.
import { test } from "node:test";
import assert from "node:assert/strict";

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { load, packages, repository, run, work } from "../javascript/machine.mjs";

const scripts = join(repository, "mod_useradmin/console/script");

test("errors that the console distinguishes have the service's text", () => {
  const script = readFileSync(join(repository, "mod_useradmin/console/script/texts.js"), "utf8");
  const texts = readFileSync(join(repository, "mod_useradmin/api/texts.hpp"), "utf8");
  const services = [...texts.matchAll(/Text (\w+) = {("[^"]+"),\s+("[^"]+")}/g)].map(([, name, spanish, own]) => ({ name, spanish, own }));
  const distinguished = services.filter(({ spanish }) => script.includes(`\n  ${spanish}: [`));
  assert.deepEqual(distinguished.map(({ name }) => name),
    ["create_role_forbidden", "delete_protected", "email_taken", "update_failed", "last_super_admin", "origin_not_allowed", "email_not_mailable", "link_failed", "invitation_failed", "no_second_factor", "ban_in_the_past"]);
  for (const { name, spanish, own } of distinguished) assert.ok(script.includes(`\n  ${spanish}: [${own}`), `texts.js lacks the English text of ${name}`);
  // No other key is a sentence.
  assert.equal([...script.matchAll(/^  "[A-Z][^"]* /gm)].length, distinguished.length);
  // The console always says correo, bloquear and superadministrador, so it does not show these Spanish messages.
  for (const { name, spanish, own } of distinguished.filter(({ spanish: each }) => /email|bane|superAdmin/.test(each)))
    assert.ok(script.includes(`\n  ${spanish}: [${own}, "`), `texts.js lacks the text of ${name}`);
  // For other errors, the console shows the text of the status.
  for (const [status, which] of [[403, "forbidden"], [429, "too_many_requests"], [503, "unavailable"]])
    assert.ok(script.includes(`\n  "status.${status}": [${services.find(({ name }) => name === which).own}, "`), `texts.js lacks the English text of status ${status}`);
});

test("the history has a text for each operation", () => {
  const manual = readFileSync(join(repository, "packaging/manual/audit-log.xml"), "utf8");
  const row = manual.slice(manual.indexOf("<code>operation</code>"), manual.indexOf("<code>result</code>"));
  const operations = new Set([...row.matchAll(/<code>([a-z -]+)<\/code>/g)].map(([, name]) => name));
  assert.ok(operations.has("key revoke"), "the manual's list was not found");
  for (const name of ["operation", "list", "bulk", "use-session", "use-api-key"]) operations.delete(name);
  const texts = readFileSync(join(scripts, "texts.js"), "utf8");
  assert.deepEqual([...operations].filter((name) => !texts.includes(`\n  "event.${name}": [`)), []);
});

test("the script's types match those of the OpenAPI document", async () => {
  const folder = join(work, "script");
  cpSync(scripts, folder, { recursive: true });
  const { default: typesOf, astToString } = await load("openapi-typescript");
  const document = readFileSync(join(repository, "mod_useradmin/api/openapi.json"), "utf8");
  writeFileSync(join(folder, "openapi.d.ts"), astToString(await typesOf(JSON.parse(document))));
  const compilerOptions = { allowJs: true, checkJs: true, lib: ["es2023", "dom", "dom.iterable"], noEmit: true, noUnusedLocals: true, strict: true, target: "es2023", types: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.js"] }));
  const { status, output } = await run(process.execPath, [join(packages, "typescript/bin/tsc"), "-p", folder]);
  assert.equal(status, 0, output);
});

test("no regular expression has a lookbehind", () => {
  for (const name of readdirSync(scripts)) assert.doesNotMatch(readFileSync(join(scripts, name), "utf8"), /\(\?<[=!]/, name);
});

test("no function of the script has more than 60 lines", async () => {
  const { default: typescript } = await load("typescript");
  for (const name of readdirSync(scripts)) {
    const source = typescript.createSourceFile(name, readFileSync(join(scripts, name), "utf8"), typescript.ScriptTarget.Latest);
    const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
    const visit = (node) => {
      const [from, to] = [lineOf(node.getStart(source)), lineOf(node.end)];
      assert.ok(!typescript.isFunctionLike(node) || to - from < 60, `${name}:${from}: ${to - from + 1} lines`);
      typescript.forEachChild(node, visit);
    };
    visit(source);
  }
});
