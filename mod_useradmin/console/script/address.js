// The address: its fragment has the state of the list and the open user, for a reload, a bookmark and the back button.

const fragment = () => new URLSearchParams(location.hash.slice(1));
/** @param {URLSearchParams} state */
const addressWith = (state) => `${location.href.split("#")[0]}${state.size ? `#${state}` : ""}`;
let written = location.href;
/**
 * Writes what is shown into a new entry of the history or the present one.
 * @param {boolean} isNew
 * @param {"opened" | "typed" | null} kind by a click on a user, or into the search
 */
function writeAddress(isNew, kind = null) {
  if (!list) return;
  const user = dialogs()[0]?.user;
  const address = addressWith(new URLSearchParams([...list.state(), ...(user ? [["user", user]] : [])]));
  if (isNew && address !== written) history.pushState(kind, "", address);
  else history.replaceState(history.state, "", address);
  written = address;
}
