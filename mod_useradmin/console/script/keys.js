// Keyboard shortcuts for the list. Users can disable those without Ctrl (WCAG 2.1.4).

const keysKey = "useradmin-keys";
const haveKeys = () => localStorage.getItem(keysKey) !== "off";
const rows = () => [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("tbody tr"))];
const rowAt = () => rows().findIndex((row) => row.contains(document.activeElement));
/** @param {number} at */
const focusRow = (at) => rows()[Math.max(0, Math.min(at, rows().length - 1))]?.querySelector("button")?.focus();

/** @type {[key: string, text: TextKey, action?: () => unknown][]} */
const keys = [
  ["/", "search", () => find("input[type=search]")?.focus()],
  ["n", "newUser", () => find(".tools .change:not([hidden])")?.click()],
  ["j", "next", () => focusRow(rowAt() + 1)],
  ["k", "previous", () => focusRow(rowAt() - 1)],
  ["Enter", "open"],
  ["x", "selectRow", () => find("tr:focus-within .pick:not([hidden]) input")?.click()],
  ["Ctrl+S", "save"],
  ["?", "keys", showKeys],
];

function showKeys() {
  const known = keys.filter(([key]) => key !== "x" || isSuper());
  dialog(t("keys")).content.append(
    facts(known.map(([key, text]) => [h("kbd", null, key), t(text)])),
    checkbox(haveKeys(), (isOn) => localStorage.setItem(keysKey, isOn ? "on" : "off"), t("useKeys")));
}

addEventListener("keydown", (event) => {
  const isControl = event.ctrlKey || event.metaKey;
  if (isControl && event.key.toLowerCase() === "s") {
    /** @type {HTMLButtonElement | null | undefined} */
    const save = dialogs().at(-1)?.querySelector("form button.main");
    if (!save) return;
    event.preventDefault();
    return save.click();
  }
  const isTyping = event.target instanceof Element && event.target.matches("input:not([type=checkbox]), select");
  if (isControl || event.altKey || isTyping || !list || dialogs().length || !haveKeys()) return;
  const action = keys.find(([key]) => key === event.key)?.[2];
  if (!action) return;
  event.preventDefault();
  // Focus the heading, so the focus returns to it when a dialog closes.
  if (document.activeElement === document.body) find("h1")?.focus();
  action();
});
