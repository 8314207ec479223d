// The table of results and bounds.

const heads = [
  "case",
  "contender",
  "requests/s",
  "p50 ms",
  "p99 ms",
  "MiB",
  "compared with",
  "",
  "goal",
  "met",
];
// The right-aligned columns.
const numbers = new Set([2, 3, 4, 5, 7]);

const figure = (value) =>
  value === undefined
    ? ""
    : value >= 100
      ? value.toFixed(0)
      : value >= 10
        ? value.toFixed(1)
        : value.toFixed(2);

const mebibytes = (bytes) => (bytes === undefined ? "" : (bytes / 2 ** 20).toFixed(1));

/**
 * Returns the cells of a case's rows. A row is {name, rate, p50, p99, memory, comparisons} or {name, skipped}. Each comparison
 * after the first has its own line.
 */
const cells = ({ title, rows }) =>
  rows.flatMap(({ name, rate, p50, p99, memory, skipped, comparisons = [] }) => {
    if (skipped) return [[title, name, "", "", "", "", `skipped: ${skipped}`, "", "", ""]];
    const ends = comparisons.map(({ text, value, wanted, isHeld }) => [
      text,
      value,
      wanted,
      isHeld === undefined ? "" : isHeld ? "yes" : "no",
    ]);
    const [first = ["", "", "", ""], ...more] = ends;
    return [
      [
        title,
        name,
        rate === undefined ? "" : figure(rate),
        figure(p50),
        figure(p99),
        mebibytes(memory),
        ...first,
      ],
      ...more.map((end) => ["", "", "", "", "", "", ...end]),
    ];
  });

const widthsOf = (table) =>
  heads.map((_, column) => Math.max(...table.map((row) => [...row[column]].length)));

const padded = (text, width, column) => {
  const blanks = " ".repeat(width - [...text].length);
  return numbers.has(column) ? blanks + text : text + blanks;
};

/** Formats for a terminal, with each case's title once. */
export const asText = (measured) => {
  const table = [
    heads,
    ...measured.flatMap((one) => cells(one).map((row, place) => (place ? ["", ...row.slice(1)] : row))),
  ];
  const widths = widthsOf(table);
  return table
    .map((row) =>
      row
        .map((text, column) => padded(text, widths[column], column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};

/** Formats as Markdown, with all columns. */
export const asMarkdown = (measured) => {
  const row = (texts) => `| ${texts.join(" | ")} |`;
  return [
    row(heads),
    row(heads.map((_, column) => (numbers.has(column) ? "---:" : "---"))),
    ...measured.flatMap((one) =>
      cells(one).map((texts, place) => row(place ? ["", ...texts.slice(1)] : texts)),
    ),
  ].join("\n");
};

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Formats for the manual's source, without the comparisons. */
export const asManual = (measured) => {
  const row = (texts, name) => {
    const written = texts.slice(0, 6).map((text) => `<${name}>${escaped(text)}</${name}>`);
    return `<tr>${written.join("")}</tr>`;
  };
  return [
    '<table class="figures">',
    row(heads, "th"),
    ...measured.flatMap(({ title, rows }) =>
      cells({
        title,
        rows: rows.filter(({ skipped }) => !skipped).map((one) => ({ ...one, comparisons: [] })),
      }).map((texts, place) => row(place ? ["", ...texts.slice(1)] : texts, "td")),
    ),
    "</table>",
  ].join("\n");
};
