// Checks the service's OpenAPI document with the tools that front-end developers use.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { newest } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { packages, run, work } from "./support/machine.mjs";
import { asMigrated } from "./support/styles.mjs";

const page = (path) =>
  `<Location "${path}/openapi.json">\n  SetHandler useradmin-openapi\n  Require all granted\n</Location>\n`;

// A service with the defaults, and one with every directive that adds to the document.
const directives =
  page("/api/users") +
  `<Location "/full users">\n  Require all granted\n  UserAdmin On\n  AuthUserAdmin On\n` +
  "  UserAdminGuard rank last-superadmin\n  UserAdminTrustedOrigin https://app.example.org\n" +
  `  UserAdminExtras On\n  UserAdminEndSessions On\n  UserAdminEmailCase lower\n  UserAdminMaxLimit 7\n</Location>\n${page("/full users")}`;

const services = ["/api/users", "/full%20users"];

/** Runs a program of an npm package. */
const tool = async (file, ...words) => {
  const environment = ["REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1"];
  return run("env", [...environment, process.execPath, join(packages, file), ...words]);
};

describeSite(
  "the OpenAPI document",
  newest,
  asMigrated,
  (check) => {
    /** Saves the document to a file. Returns {folder, file, document}. */
    const documentOf = async (site, service) => {
      const response = await fetch(`${site.httpd.address}${service}/openapi.json`);
      assert.equal(response.status, 200);
      const folder = join(work, `openapi-${services.indexOf(service)}`);
      mkdirSync(folder, { recursive: true });
      const text = await response.text();
      writeFileSync(join(folder, "openapi.json"), text);
      return { folder, file: join(folder, "openapi.json"), document: JSON.parse(text) };
    };

    check("the document has no findings with Redocly's recommended rules", async (site) => {
      for (const service of services) {
        const { file } = await documentOf(site, service);
        const lint = await tool("@redocly/cli/bin/cli.js", "lint", "--extends=recommended-strict", "--format=json", file);
        assert.equal(lint.status, 0, lint.output);
        // Warnings are problems too.
        assert.match(lint.output, /"problems": \[\]/, lint.output);
      }
    });

    check("openapi-typescript generates types that match a response", async (site) => {
      for (const service of services) {
        const { folder, file, document } = await documentOf(site, service);
        const types = join(folder, "openapi.d.ts");
        const made = await tool("openapi-typescript/bin/cli.js", file, "--output", types);
        assert.equal(made.status, 0, made.output);
        const schema = document.paths["/"].get.responses["200"].content["application/json"];
        writeFileSync(
          join(folder, "page.ts"),
          `import type { components, operations } from "./openapi.d.ts";
type Page = operations["list"]["responses"]["200"]["content"]["application/json"];
type Rejection = operations["delete"]["responses"]["403"]["content"]["application/json"];
export const page: Page = ${JSON.stringify(schema.example)};
export const names: string[] = page.data.map((user: components["schemas"]["User"]) => user.name);
export const rejection: Rejection = { success: false, error: "No tienes permisos para eliminar usuarios" };
// @ts-expect-error There is no such text.
export const other: Rejection = { success: false, error: "No" };
// @ts-expect-error A user has an address.
export const user: components["schemas"]["User"] = { id: "1", name: "Ana" };
`,
        );
        const compiled = await tool("typescript/bin/tsc", "--strict", "--noEmit", "--target", "es2022", "--module",
          "nodenext", "--moduleResolution", "nodenext", "--allowImportingTsExtensions",
          join(folder, "page.ts"));
        assert.equal(compiled.status, 0, compiled.output);
      }
    });
  },
  { directives },
);
