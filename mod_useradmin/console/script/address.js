// The page's URL. Its fragment contains the state of the list and the open user, for reloads, bookmarks and the Back button.

const fragment = () => new URLSearchParams(location.hash.slice(1));
/** @param {URLSearchParams} state */
const addressWith = (state) => `${location.href.split("#")[0]}${String(state) && `#${state}`}`;
let written = location.href;
/**
 * Writes the current state to the URL, in a new history entry or in the current one.
 * @param {boolean} isNew
 * @param {"opened" | "typed" | null} kind "opened" if the user opened a drawer, "typed" if the user typed a search
 */
function writeAddress(isNew, kind = null) {
  if (!list) return;
  const user = dialogs()[0]?.user;
  const address = addressWith(new URLSearchParams([...list.state(), ...(user ? [["user", user]] : [])]));
  if (isNew && address !== written) history.pushState(kind, "", address);
  else history.replaceState(history.state, "", address);
  written = address;
}
