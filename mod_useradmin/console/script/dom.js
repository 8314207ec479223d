// Creates and updates DOM nodes.

/**
 * Attributes, and listeners whose names begin with "on". Attributes that are false, null or undefined are omitted.
 * @typedef {{ [name: string]: unknown } & { onclick?: (event: MouseEvent) => unknown, onchange?: (event: Event) => unknown }} Attributes
 */
/** @typedef {Node | string | false | null | undefined} Leaf */
/** @typedef {Leaf | (Leaf | (Leaf | Leaf[])[])[]} Child */

/**
 * @template {Element} Filled
 * @param {Filled} node
 * @param {Attributes | null | undefined} attributes
 * @param {Child[]} children
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (typeof value === "function") node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) node.setAttribute(name, String(value));
  const nodes = /** @type {Child[]} */ (children.flat(9));
  node.append(.../** @type {(Node | string)[]} */ (nodes.filter((child) => child !== null && child !== undefined && child !== false)));
  return node;
}
/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes | null} [attributes]
 * @param {Child[]} children
 */
const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
/**
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes | null} attributes
 * @param {Child[]} children
 */
const s = (name, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
let lastId = 0;
const newId = () => `n${++lastId}`;

const shapes = {
  search: "M10.5 17a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM15.5 15.5 20 20",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6 6 18",
  down: "M6 9l6 6 6-6",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  link: "M9 12h6M10 8H8a4 4 0 0 0 0 8h2M14 8h2a4 4 0 0 1 0 8h-2",
};
/** @param {keyof typeof shapes} name */
const icon = (name) => s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: shapes[name] }));
const title = () => h("h1", { tabindex: "-1" }, document.title);
const mark = () => (service.logo ? h("img", { class: "mark", src: service.logo, alt: "" }) : s("svg", { class: "mark", viewBox: "0 0 32 32", "aria-hidden": "true" }, s("rect", { width: 32, height: 32, rx: 8 }), s("circle", { cx: 16, cy: 12, r: 5 }), s("path", { d: "M6 26a10 8 0 0 1 20 0z" })));
/** @type {(selector: string) => HTMLElement | null} */
const find = (selector) => document.querySelector(selector);
/** @param {Child[]} children */
const actions = (...children) => h("div", { class: "actions" }, ...children);
/** @param {Child} [text] */
const alertBox = (text) => h("div", { class: "notice bad", role: "alert" }, text);
/** @param {[label: Child, value: Child][]} rows */
const facts = (rows) => h("dl", { class: "facts" }, rows.map(([label, value]) => [h("dt", null, label), h("dd", null, value)]));
/**
 * @param {boolean} isChecked
 * @param {(isChecked: boolean) => unknown} onchange
 * @param {string} label
 */
function checkbox(isChecked, onchange, label) {
  /** @type {HTMLInputElement} */
  const box = h("input", { type: "checkbox", checked: isChecked, onchange: () => onchange(box.checked) });
  return h("label", { class: "choice" }, box, label);
}
/**
 * @param {string | null | undefined} text
 * @param {Intl.DateTimeFormat} format
 */
const time = (text, format) => (text ? h("time", { datetime: text, title: timeText(text) }, format.format(new Date(text))) : "–");
/**
 * Returns the initials of the first and the last word. Words without a letter or digit do not count.
 * @param {string} text
 */
function initialsOf(text) {
  const letters = visible(brief(text)).split(/\s+/).map((word) => word.match(/[\p{L}\p{N}]/u)?.[0]).filter(Boolean);
  return joined([letters[0], letters.slice(1).at(-1)], "").toLocaleUpperCase(locale);
}
/** @param {{ name: string, email: string }} user */
function avatar(user, size = "") {
  const initials = [user.name, user.email].map(initialsOf).find(Boolean);
  return h("span", { class: `avatar ${size}`, "aria-hidden": "true" }, initials);
}
/**
 * @param {string} text
 * @param {string | null} [title]
 */
const pill = (text, kind = "", title) => h("span", { class: `pill ${kind}`, title }, text);
/** @param {string} role */
const rolePill = (role) => pill(nameOfRole(role), isPrivileged(role) ? role : "");
/** @param {OwnUser} user */
const isBanned = (user) => user.banned && !(user.banExpires && new Date(user.banExpires) <= new Date());
/** @param {OwnUser} user */
function statusPills(user) {
  const pills = [];
  if (isBanned(user)) pills.push(pill(t("banned"), "banned", user.banReason));
  else if (user.banned) pills.push(pill(t("banOver")));
  if (!user.emailVerified) pills.push(pill(t("unverified"), "warn"));
  return h("span", { class: "pills" }, pills);
}
