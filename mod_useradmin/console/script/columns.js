// The columns of the list, including the additional columns of the application's user table.

/** @type {(user: OwnUser, name: string) => unknown} */
const valueIn = (user, name) => /** @type {Record<string, unknown>} */ (user)[name];
/** @param {unknown} value */
const plainText = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));
/**
 * Formats the value of an additional column for display.
 * @param {Pick<FurtherColumn, "type">} column
 * @param {unknown} value
 * @param {Intl.DateTimeFormat} format
 */
function furtherText({ type }, value, format) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  const date = new Date(type === "time" ? String(value) : NaN);
  return Number.isNaN(date.getTime()) ? brief(plainText(value)) : format.format(date);
}

/**
 * A column of the list, other than the user column. isExtra columns are hidden by default. further is the additional column to show, if any.
 * @typedef {{ key: string, label: string, cell: (user: User) => Child, isSorted?: boolean, isExtra?: boolean, further?: FurtherColumn }} ListColumn
 */
// Whether the window is wide enough to show the last activity by default.
const isWide = matchMedia("(min-width: 78rem)").matches;
/** @returns {ListColumn[]} */
const listColumns = () => [
  { key: "role", label: t("role"), cell: (user) => rolePill(user.role) },
  { key: "status", label: t("status"), cell: statusPills },
  ...(hasExtras ? [{ key: "lastSeen", label: t("lastSeen"), isSorted: true, isExtra: !isWide, cell: (/** @type {User} */ user) => time(user.lastSeenAt, dayFormat) }] : []),
  { key: "createdAt", label: t("created"), isSorted: true, cell: (user) => time(user.createdAt, dayFormat) },
  { key: "updatedAt", label: t("updated"), isSorted: true, isExtra: true, cell: (user) => time(user.updatedAt, dayFormat) },
  ...furtherColumns().map((further) => ({
    key: `data.${further.name}`, label: further.name, isExtra: true, further,
    cell: (/** @type {User} */ user) => furtherText(further, valueIn(user, further.name), dayFormat),
  })),
];
const columnsKey = `useradmin-columns ${service.base}`;
/** @returns {Record<string, boolean>} the columns that the user has shown or hidden */
function chosenColumns() {
  try {
    return Object(JSON.parse(localStorage.getItem(columnsKey) ?? "{}"));
  } catch {
    return {};
  }
}
/** @param {ListColumn} column */
const isShown = ({ key, isExtra }) => chosenColumns()[key] ?? !isExtra;
const shownColumns = () => listColumns().filter(isShown);

/** @param {() => unknown} onchange */
function chooseColumns(onchange) {
  dialog(t("columns")).content.append(h("div", null, listColumns().map((column) => checkbox(isShown(column), (isChosen) => {
    localStorage.setItem(columnsKey, JSON.stringify({ ...chosenColumns(), [column.key]: isChosen }));
    onchange();
  }, column.label))));
}

/**
 * Returns the input for an additional column.
 * @param {FurtherColumn} column
 */
function furtherInput({ name, type, nullable }) {
  const attributes = { name: `data.${name}`, required: !nullable && type !== "text" };
  if (type === "boolean") return select([...(nullable ? [/** @type {Choice} */ (["", "–"])] : []), ["true", t("yes")], ["false", t("no")]], "", attributes);
  /** @type {HTMLInputElement & FieldState} */
  const input = h("input", { ...attributes, autocomplete: "off", ...(type === "integer" ? { type: "number", step: 1 } : type === "time" ? { type: "datetime-local", max: "9999-12-31T23:59" } : {}) });
  input.check = () => (input.validity.valid ? "" : t(type === "time" ? "noTime" : "noNumber"));
  return input;
}
/**
 * Formats the value of an additional column for its input. Times are in the browser's time zone.
 * @param {FurtherColumn} column
 * @param {unknown} value
 */
function furtherValue({ type }, value) {
  const date = new Date(type === "time" ? String(value) : NaN);
  if (!Number.isNaN(date.getTime())) return localTime(date).slice(0, 16);
  return value === null || value === undefined ? "" : plainText(value);
}
/**
 * Converts the text of an additional column's input to the JSON value to send.
 * @param {FurtherColumn} column
 * @param {string} text
 */
function furtherData({ type, nullable }, text) {
  if (!text && (nullable || type !== "text")) return null;
  if (type === "time") return new Date(text).toISOString();
  return type === "boolean" ? text === "true" : type === "integer" ? Number(text) : text;
}
