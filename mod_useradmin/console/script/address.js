// Edits that have not been saved.

const dialogs = () => [...document.querySelectorAll("dialog[open]")];
const editsIn = (...places) => places.flatMap((place) => [...place.querySelectorAll("input, select")]).filter((input) => input.isEdited?.());
// The edits that the user has not agreed to discard.
const edits = () => editsIn(...dialogs().filter((each) => !each.isLeft));
let question = null;
const agreesToDiscard = () => (question ??= confirmation(t("discardTitle"), t("keepEditing"), t("discard")).finally(() => (question = null)));
addEventListener("beforeunload", (event) => {
  if (edits().length) event.preventDefault();
});
const draftKey = `useradmin-draft ${service.base}`;
// Stores the edits of the open dialogs, but no password, until the same caller signs in again.
function keepDraft() {
  const typed = edits().filter((input) => input.name !== "password").map((input) => [input.name, input.value]);
  if (typed.length) sessionStorage.setItem(draftKey, JSON.stringify({ caller: caller.id, user: dialogs()[0].user, typed: Object.fromEntries(typed) }));
}
// Opens the user in the address, with the draft.
async function restore() {
  written = location.href;
  const draft = JSON.parse(sessionStorage.getItem(draftKey));
  sessionStorage.removeItem(draftKey);
  const user = fragment().get("user");
  const isOwn = draft?.caller === caller.id && (draft.user ?? null) === user;
  const isShown = user ? await showUser(user, { typed: isOwn ? draft.typed : {}, isNew: false }) : isOwn && createUser(draft.typed);
  if (isOwn && isShown) tell(t("restored"));
}
// Enters the values of a draft, where there are any.
function enterTyped(typed, inputs) {
  for (const input of inputs)
    if (input.name in typed) {
      input.value = typed[input.name];
      input.dispatchEvent(new Event("change"));
    }
}

// The address: its fragment has the state of the list and the open user, for a reload, a bookmark and the back button.

const fragment = () => new URLSearchParams(location.hash.slice(1));
let written = location.href;
// Writes what is shown into a new entry of the history or the present one. kind: "opened" by a click on a user, or "typed" into the search.
function writeAddress(isNew, kind = null) {
  if (!list) return;
  const user = dialogs()[0]?.user;
  const state = new URLSearchParams([...list.state(), ...(user ? [["user", user]] : [])]);
  const address = `${location.href.split("#")[0]}${state.size ? `#${state}` : ""}`;
  if (isNew && address !== written) history.pushState(kind, "", address);
  else history.replaceState(history.state, "", address);
  written = address;
}
// Shows what is in the address after Back or Forward. If there are edits, restores the address first and asks.
async function follow() {
  if (!list) return;
  if (edits().length) {
    history.pushState(dialogs()[0].user ? "opened" : null, "", written);
    if (question || !(await agreesToDiscard())) return;
    for (const each of dialogs()) each.isLeft = true;
    return history.back();
  }
  const user = fragment().get("user");
  const [drawer] = dialogs();
  const isShown = user !== null && drawer?.user === user && !drawer.isLeft;
  for (const each of dialogs().reverse()) if (!isShown || each !== drawer) each.close();
  list.follow();
  written = location.href;
  if (user && !isShown) await showUser(user, { isNew: false });
}
