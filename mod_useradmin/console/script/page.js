// The page.

let caller = null;
let list = null;
// Whether the last change has not reached the application's secondary storage.
let isStillAccepted = false;
// Whether the service reads a copy of the database, which takes no changes.
let isCopy = false;
const copyNotice = h("p", { class: "notice warn", role: "status" });
// time: the last change that the copy has received; undefined if it is no copy.
function noteCopy(time) {
  isCopy = time !== undefined;
  const note = isCopy ? t("readOnly", { time: timeFormat.format(new Date(time)) }) : "";
  // Screen readers say a text again that is replaced by the same one.
  if (copyNotice.textContent !== note) copyNotice.textContent = note;
  for (const node of document.querySelectorAll("button.change")) node.hidden = isCopy;
}
const toast = h("p", { class: "toast", role: "status" });
let toastTimer = 0;
function tell(text, { endsSessions = false, link = null } = {}) {
  const place = dialogs().at(-1)?.querySelector(".status") ?? toast;
  const isCached = endsSessions && cacheSeconds > 0;
  const message = [text, isStillAccepted && t("stillAccepted"), isCached && t("cachedFor", { time: duration(cacheSeconds) })].filter(Boolean).join(" ");
  place.replaceChildren(message, link ?? "");
  isStillAccepted = false;
  if (place !== toast) return;
  clearTimeout(toastTimer);
  // A link stays until it is used, or the list is searched.
  if (!link) toastTimer = setTimeout(() => (toast.textContent = ""), 6000);
}
function show(...nodes) {
  // The first page that is shown leaves the focus to the browser.
  const hadFocus = document.activeElement !== document.body;
  dialogs().forEach((each) => each.close());
  toast.replaceChildren();
  document.body.replaceChildren(...nodes, toast);
  if (hadFocus) document.querySelector("h1").focus();
}

const isSuper = () => caller.role === "superAdmin";
const isSelf = (user) => user.id === caller.id;
const mayChange = () => !isCopy && isSuper();
const mayEdit = (user) => !isCopy && (isSuper() || (caller.role === "admin" && (!caller.rank || user.role === "user")));
const asCompared = (email) => (caller.lowersEmail ? email.toLowerCase() : email);
const isProtected = (user) => isSuper() && asCompared(user.email) === asCompared(caller.protectedEmail);
const mayDelete = (user) => mayChange() && !isSelf(user) && !isProtected(user);
