// The table of what works with which release and which schema.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const columns = [
  "created here, signs in there",
  "signed in there, authorised here",
  "bans, both ways",
  "roles, both ways",
  "records, both ways",
  "deleted here, gone there",
  "useradminctl",
];

/** What a run found: a row for each release and style, with the result of each column. */
export class Results {
  rows = [];

  /** The row of this release and style, made at first use. */
  row(version, style) {
    let row = this.rows.find((other) => other.version === version && other.style === style);
    if (!row) this.rows.push((row = { version, style, works: {} }));
    return row;
  }

  /** A column works when all the tests that speak of it passed. */
  record(version, style, column, passed) {
    const { works } = this.row(version, style);
    works[column] = passed && works[column] !== false;
  }

  get isComplete() {
    return this.rows.every((row) => columns.every((column) => row.works[column] !== undefined));
  }
}

/** The table as the manual's source has it. */
export const tableOf = ({ rows }) => {
  const line = (cells, name) => `<tr>${cells.map((cell) => `<${name}>${cell}</${name}>`).join("")}</tr>`;
  return [
    '<table class="matrix">',
    line(["better-auth", "schema", ...columns], "th"),
    ...rows.map((row) =>
      line([row.version, row.style, ...columns.map((column) => (row.works[column] ? "yes" : "no"))], "td"),
    ),
    "</table>",
  ].join("\n");
};

export const begin = "<!-- interop:begin -->";
export const end = "<!-- interop:end -->";

/** The manual's page that holds the table. */
export const page = "packaging/manual/application.xml";

/** The table that it holds; nothing where it has no place for one. */
export const tableOfManual = (repository) => {
  const file = join(repository, page);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  return from < 0 || to < from ? undefined : text.slice(from + begin.length, to).trim();
};
