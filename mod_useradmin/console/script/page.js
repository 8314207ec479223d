// The page: its views and its messages.

/**
 * An open dialog. user is the id of the user in a drawer, and tag the entity tag. isLeft is set once the dialog is about to
 * close, so its edits no longer count.
 * @typedef {HTMLDialogElement & { user?: string, tag?: string, isLeft?: boolean }} Dialog
 */
/**
 * The effects of a change. If changesCounts is set, the counts above the list may differ. link is a button to add to the message.
 * @typedef {{ endsSessions?: boolean, changesCounts?: boolean, link?: Node | false }} Effects
 */

/** @type {List | null} */
let list = null;
const dialogs = () => [.../** @type {NodeListOf<Dialog>} */ (document.querySelectorAll("dialog[open]"))];

const copyNotice = h("p", { class: "notice warn", role: "status" });
/** @param {string} [time] of the last change that the copy has received; undefined if the database is not a copy */
function noteCopy(time) {
  isCopy = time !== undefined;
  const note = isCopy ? t("readOnly", { time: timeText(time ?? "") }) : "";
  // Screen readers would repeat the text if it were set again.
  if (copyNotice.textContent !== note) copyNotice.textContent = note;
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".change"))) node.hidden = isCopy;
}

const toast = h("p", { class: "toast", role: "status" });
let toastTimer = 0;
/**
 * @param {string} text
 * @param {Effects} effects
 */
function tell(text, { endsSessions = false, link } = {}) {
  const place = dialogs().at(-1)?.querySelector(".status") ?? toast;
  const isCached = endsSessions && cacheSeconds > 0;
  const message = joined([text, isStillAccepted && t("stillAccepted"), isCached && t("cachedFor", { time: duration(cacheSeconds) })]);
  place.replaceChildren(message, link || "");
  isStillAccepted = false;
  if (place !== toast) return;
  clearTimeout(toastTimer);
  // A message with a link stays until the link is used or the list's query changes.
  if (!link) toastTimer = setTimeout(() => (toast.textContent = ""), 6000);
}
/** @param {Node[]} nodes */
function show(...nodes) {
  // If nothing has the focus, as before the first view, leave it to the browser.
  const hadFocus = document.activeElement !== document.body;
  dialogs().forEach((each) => each.close());
  toast.replaceChildren();
  document.body.replaceChildren(...nodes, toast);
  if (hadFocus) find("h1")?.focus();
}
