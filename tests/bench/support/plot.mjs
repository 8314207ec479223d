// The plot: time against number of users, both axes logarithmic, each series labelled where it ends.

const width = 860;
const height = 460;
const area = { left: 80, right: 590, top: 50, bottom: 400 };
const colours = ["#b45309", "#1d4ed8", "#7c3aed", "#be185d", "#047857"];

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/** Each power of ten from below the values to above them. */
const decades = (values) => {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: to - from + 1 }, (_, place) => 10 ** (from + place));
};

/** A function that places values between the ends of an axis. */
const axis = (ticks, from, to) => {
  const [least, most] = [Math.log10(ticks[0]), Math.log10(ticks.at(-1))];
  return (value) => from + ((Math.log10(value) - least) / (most - least)) * (to - from);
};

/** Heights of labels that do not touch each other, in the order of the heights that they belong to. */
const apart = (heights) => {
  const placed = [];
  for (const { height: wanted, ...rest } of heights.toSorted((a, b) => a.height - b.height))
    placed.push({ ...rest, height: Math.max(wanted, (placed.at(-1)?.height ?? -Infinity) + 17) });
  return placed;
};

/** An SVG of the rows' p50 against their databases' users, a line for each series. */
export const asSvg = (rows) => {
  const measured = rows.filter(({ p50 }) => p50 !== undefined);
  const points = measured.map(({ line, p50 }) => ({ series: line.series, users: line.database.users, p50 }));
  if (points.length === 0) return undefined;
  const xTicks = decades(points.map(({ users }) => users));
  const yTicks = decades(points.map(({ p50 }) => p50));
  const x = axis(xTicks, area.left, area.right);
  const y = axis(yTicks, area.bottom, area.top);
  const series = new Map(
    points.map(({ series: name }) => [name, points.filter((point) => point.series === name)]),
  );
  const text = (place, down, words, further = "") =>
    `<text x="${place.toFixed(1)}" y="${down.toFixed(1)}" ${further}>${escaped(words)}</text>`;
  const rule = (fromX, fromY, toX, toY) =>
    `<line x1="${fromX.toFixed(1)}" y1="${fromY.toFixed(1)}" x2="${toX.toFixed(1)}" y2="${toY.toFixed(1)}" stroke="#e5e7eb"/>`;
  const parts = [
    ...xTicks.flatMap((tick) => [
      rule(x(tick), area.top, x(tick), area.bottom),
      text(x(tick), area.bottom + 20, tick.toLocaleString("en"), 'text-anchor="middle"'),
    ]),
    ...yTicks.flatMap((tick) => [
      rule(area.left, y(tick), area.right, y(tick)),
      text(
        area.left - 8,
        y(tick) + 4,
        `${tick >= 1 ? tick.toLocaleString("en") : Number(tick.toPrecision(1))} ms`,
        'text-anchor="end"',
      ),
    ]),
    text((area.left + area.right) / 2, area.bottom + 44, "users", 'text-anchor="middle"'),
    text(
      area.left,
      26,
      "Time of a list of 20 users with its total, one caller (p50)",
      'font-weight="bold" font-size="15"',
    ),
  ];
  const ends = [];
  for (const [place, [name, ofSeries]] of [...series].entries()) {
    const colour = colours[place % colours.length];
    const placed = ofSeries.map(({ users, p50 }) => [x(users).toFixed(1), y(p50).toFixed(1)]);
    parts.push(
      `<polyline fill="none" stroke="${colour}" stroke-width="2.5" points="${placed.map((pair) => pair.join()).join(" ")}"/>`,
      ...placed.map(([across, down]) => `<circle cx="${across}" cy="${down}" r="3.5" fill="${colour}"/>`),
    );
    const last = ofSeries.at(-1);
    ends.push({ height: y(last.p50) + 4, colour, name, across: x(last.users) + 12 });
  }
  for (const { height: down, colour, name, across } of apart(ends))
    parts.push(text(across, down, name, `fill="${colour}"`));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#374151">
<rect width="${width}" height="${height}" fill="#ffffff"/>
${parts.join("\n")}
</svg>
`;
};
