// The columns of the list, including extra columns of the user table.

/** @type {(user: OwnUser, name: string) => unknown} */
const valueIn = (user, name) => /** @type {Record<string, unknown>} */ (user)[name];
/** @param {unknown} value */
const plainText = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));
/**
 * Formats the value of an extra column for display.
 * @param {Pick<ExtraColumn, "type">} column
 * @param {unknown} value
 * @param {Intl.DateTimeFormat} format
 */
function extraText({ type }, value, format) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  const date = new Date(type === "time" ? String(value) : NaN);
  return Number.isNaN(date.getTime()) ? brief(plainText(value)) : format.format(date);
}

/**
 * A column of the list, other than the user column. isOptional columns are hidden by default. extra describes the extra column
 * to show, if any.
 * @typedef {{ key: string, label: string, cell: (user: User) => Child, isSorted?: boolean, isOptional?: boolean, extra?: ExtraColumn }} ListColumn
 */
// Whether the window is wide enough to show the last activity by default.
const isWide = matchMedia("(min-width: 78rem)").matches;
/** @returns {ListColumn[]} */
const listColumns = () => [
  { key: "role", label: t("role"), cell: (user) => rolePill(user.role) },
  { key: "status", label: t("status"), cell: statusPills },
  ...(hasExtras ? [{ key: "lastSeen", label: t("lastSeen"), isSorted: true, isOptional: !isWide, cell: (/** @type {User} */ user) => time(user.lastSeenAt, dayFormat) }] : []),
  { key: "createdAt", label: t("created"), isSorted: true, cell: (user) => time(user.createdAt, dayFormat) },
  { key: "updatedAt", label: t("updated"), isSorted: true, isOptional: true, cell: (user) => time(user.updatedAt, dayFormat) },
  ...extraColumns().map((extra) => ({
    key: `data.${extra.name}`, label: extra.name, isOptional: true, extra,
    cell: (/** @type {User} */ user) => extraText(extra, valueIn(user, extra.name), dayFormat),
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
const isShown = ({ key, isOptional }) => chosenColumns()[key] ?? !isOptional;
const shownColumns = () => listColumns().filter(isShown);

/** @param {() => unknown} onchange */
function chooseColumns(onchange) {
  dialog(t("columns")).content.append(h("div", null, listColumns().map((column) => checkbox(isShown(column), (isChosen) => {
    localStorage.setItem(columnsKey, JSON.stringify({ ...chosenColumns(), [column.key]: isChosen }));
    onchange();
  }, column.label))));
}

/**
 * Returns the input for an extra column.
 * @param {ExtraColumn} column
 */
function extraInput({ name, type, nullable }) {
  const attributes = { name: `data.${name}`, required: !nullable && type !== "text" };
  if (type === "boolean") return select([...(nullable ? [/** @type {Choice} */ (["", "–"])] : []), ["true", t("yes")], ["false", t("no")]], "", attributes);
  /** @type {HTMLInputElement & FieldState} */
  const input = h("input", { ...attributes, autocomplete: "off", ...(type === "integer" ? { type: "number", step: 1 } : type === "time" ? { type: "datetime-local", max: "9999-12-31T23:59" } : {}) });
  input.check = () => (input.validity.valid ? "" : t(type === "time" ? "noTime" : "noNumber"));
  return input;
}
/**
 * Formats the value of an extra column for its input. Times are in the browser's time zone.
 * @param {ExtraColumn} column
 * @param {unknown} value
 */
function extraValue({ type }, value) {
  const date = new Date(type === "time" ? String(value) : NaN);
  if (!Number.isNaN(date.getTime())) return localTime(date).slice(0, 16);
  return value === null || value === undefined ? "" : plainText(value);
}
/**
 * Converts the text of an extra column's input to the JSON value to send.
 * @param {ExtraColumn} column
 * @param {string} text
 */
function extraData({ type, nullable }, text) {
  if (!text && (nullable || type !== "text")) return null;
  if (type === "time") return new Date(text).toISOString();
  return type === "boolean" ? text === "true" : type === "integer" && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}
