// The manual's tables of supported releases.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The results of a run: a row for each release and variant, with a result per column. */
class Results {
  rows = [];

  constructor(name, identifiers, columns) {
    Object.assign(this, { name, identifiers, columns });
  }

  /** Returns the row with this identity. Creates it at first use. */
  row(identity) {
    let row = this.rows.find((other) => other.identity.every((part, index) => part === identity[index]));
    if (!row) this.rows.push((row = { identity, works: {} }));
    return row;
  }

  /** A column works if all of its tests pass. */
  record(identity, column, works) {
    const row = this.row(identity);
    row.works[column] = works && row.works[column] !== false;
  }

  get isComplete() {
    return this.rows.every((row) => this.columns.every((column) => row.works[column] !== undefined));
  }
}

export const schemas = new Results("schemas", ["better-auth", "schema"], [
  "users created by httpd can sign in",
  "sessions accepted by httpd",
  "bans, both ways",
  "roles, both ways",
  "records, both ways",
  "deletions, both ways",
  "useradminctl",
]);

export const places = new Results("places", ["better-auth", "database", "sessions in"], [
  "sessions accepted by httpd",
  "ended by a ban, a new role, a new password, a deletion, useradminctl",
]);

export const tables = [schemas, places];

/** Returns the table in the format of the manual's source. */
export const tableOf = ({ identifiers, columns, rows }) => {
  const line = (cells, name) => `<tr>${cells.map((cell) => `<${name}>${cell}</${name}>`).join("")}</tr>`;
  return [
    '<table class="matrix">',
    line([...identifiers, ...columns], "th"),
    ...rows.map((row) =>
      line([...row.identity, ...columns.map((column) => (row.works[column] ? "yes" : "no"))], "td"),
    ),
    "</table>",
  ].join("\n");
};

export const begin = ({ name }) => `<!-- interop:${name}:begin -->`;
export const end = ({ name }) => `<!-- interop:${name}:end -->`;

/** The page of the manual with the tables. */
export const page = "packaging/manual/application.xml";

/** Returns the table in the page, or undefined if the page does not have it. */
export const tableOfManual = (repository, table) => {
  const file = join(repository, page);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const [from, to] = [text.indexOf(begin(table)), text.indexOf(end(table))];
  return from < 0 || to < from ? undefined : text.slice(from + begin(table).length, to).trim();
};
