// Dialogs. The browser keeps the focus inside them. Edits are discarded only with the user's consent.

/**
 * @typedef {object} Frame
 * @property {Dialog} node
 * @property {HTMLElement} heading
 * @property {HTMLElement} place contains the heading
 * @property {HTMLElement} content
 * @property {HTMLElement} status
 * @property {HTMLElement} notice
 * @property {() => void} leave closes the dialog; if there are edits, asks first
 * @property {() => unknown} close
 */

/**
 * Moves the focus from a closed dialog to the dialog or page below it.
 * @param {Dialog} node
 * @param {Element | null} opener
 */
function focusBelow(node, opener) {
  const below = dialogs().at(-1);
  if (below) return below.contains(document.activeElement) || below.querySelector("h2")?.focus();
  // The element that opened the dialog may have been replaced or hidden.
  const isHere = opener instanceof HTMLElement && opener.getClientRects().length > 0 && opener !== document.body;
  const user = node.user ?? (opener instanceof HTMLElement ? opener.dataset.user : "");
  const again = isHere ? opener : find(`[data-user="${CSS.escape(user ?? "")}"]`);
  (again ?? find("input[type=search]"))?.focus();
}

/**
 * Opens a dialog.
 * @param {string} title
 * @returns {Frame}
 */
function dialog(title, kind = "") {
  const heading = h("h2", { id: newId(), tabindex: "-1" }, title);
  const place = h("div", { class: "title" }, heading);
  const content = h("div", { class: "inner" });
  const notice = h("div", { class: "notice warn", role: "alert" });
  const status = h("p", { class: "status", role: "status" });
  const opener = document.activeElement;
  /** @type {Dialog} */
  const node = h("dialog", { class: kind, "aria-labelledby": heading.id },
    h("div", { class: "top" }, h("div", { class: "head" }, place, bareButton("close", t("close"), leave)), status, notice),
    h("div", { class: "content" }, content));
  /** @type {Frame} */
  const frame = { node, heading, place, content, status, notice, leave, close: () => node.close() };
  node.addEventListener("close", () => {
    node.remove();
    focusBelow(node, opener);
  });
  function leave() {
    if (!editsIn(node).length) frame.close();
    else agreesToDiscard().then((isAgreed) => isAgreed && frame.close());
  }
  /** @param {Event} event */
  const leaveInstead = (event) => {
    event.preventDefault();
    leave();
  };
  // Chromium closes a dialog without a cancel event if the user presses Esc twice.
  node.addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && leaveInstead(event));
  node.addEventListener("cancel", leaveInstead);
  // Ignore the second press of a double click that opened the dialog, because it would select text.
  let wasPressed = false;
  node.addEventListener("mousedown", (event) => {
    wasPressed ||= event.detail === 1;
    if (!wasPressed) event.preventDefault();
  });
  // Clear the message, because it refers to the previous input.
  node.addEventListener("input", () => (status.textContent = ""));
  document.body.append(node);
  node.showModal();
  heading.focus();
  return frame;
}

/**
 * Asks a question. Resolves to whether the user agrees.
 * @param {string} title
 * @param {string} no
 * @param {string} yes
 * @param {string} [lead]
 * @returns {Promise<boolean>}
 */
function confirmation(title, no, yes, lead) {
  const frame = dialog(title);
  return new Promise((resolve) => {
    /** @param {boolean} isAgreed */
    const end = (isAgreed) => {
      frame.node.close();
      // Resolve before the close event fires. Otherwise, a key pressed before the event could open the question again.
      resolve(isAgreed);
    };
    frame.close = () => end(false);
    frame.node.addEventListener("close", () => resolve(false));
    frame.content.append(form({
      fields: lead && h("p", null, lead),
      buttons: [button(no, frame.close), submit(yes, "danger")],
      action: () => end(true),
    }));
  });
}

/** @type {(before: string, after: string) => boolean} */
const gainsRights = (before, after) => isPrivileged(after) && after !== before && before !== "superAdmin";
const confirmEndOfOwn = () => confirmation(t("endOwnTitle"), t("cancel"), t("endOwn"), t("endOwnLead"));
/** @type {(name: string, role: string) => Promise<boolean>} */
const confirmRole = (name, role) => confirmation(t("giveRoleTitle", { name, role: nameOfRole(role) }), t("cancel"), t("giveRole"), t(role === "admin" ? "giveAdmin" : "giveSuperAdmin"));

// The edits that the user has not agreed to discard.
const edits = () => editsIn(...dialogs().filter((each) => !each.isLeft));
/** @type {Promise<boolean> | null} */
let question = null;
const agreesToDiscard = () => (question ??= confirmation(t("discardTitle"), t("keepEditing"), t("discard")).finally(() => (question = null)));
addEventListener("beforeunload", (event) => {
  if (edits().length) event.preventDefault();
});
const draftKey = `useradmin-draft ${service.base}`;
// Stores the edits of the open dialogs, except passwords, until the same caller signs in again.
function keepDraft() {
  const typed = edits().filter((input) => input.name !== "password").map((input) => [input.name, input.value]);
  if (typed.length) sessionStorage.setItem(draftKey, JSON.stringify({ caller: caller?.id, user: dialogs()[0].user, tag: dialogs()[0].tag, typed: Object.fromEntries(typed) }));
}
/**
 * Returns the caller's draft. Returns null if there is none, or if it is not for the given user.
 * @param {string | null} user null accepts any draft, including that of a new user
 * @returns {{ typed: Record<string, string>, user?: string, tag?: string } | null}
 */
function draftOf(user) {
  const draft = JSON.parse(sessionStorage.getItem(draftKey) ?? "null");
  return draft && draft.caller === caller?.id && (!user || draft.user === user) ? draft : null;
}
function endDraft() {
  sessionStorage.removeItem(draftKey);
  tell(t("restored"));
}
