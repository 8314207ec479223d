// Signing in and out, and the views of each role.

/** @param {Child[]} parts */
const entrance = (...parts) => show(h("main", null, h("div", { class: "card entrance" }, ...parts)));

function enter(note = "", isGood = false) {
  caller = list = null;
  const heading = title();
  const head = [mark(), h("div", null, heading, h("p", { class: "muted" }, location.hostname)), h("div", { class: isGood ? "notice" : "notice warn", role: "status" }, note)];
  if (!canSignIn) {
    entrance(...head, h("p", null, t("signInElsewhere")), actions(button(t("reload"), start), service.signInPage && h("a", { class: "button main", href: service.signInPage }, t("signIn"))));
    return heading.focus();
  }
  const email = h("input", { type: "email", name: "email", autocomplete: "username", required: true });
  const password = h("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
  entrance(...head, form({
    fields: [field(t("email"), email), field(t("password"), password)],
    buttons: [submit(t("signIn"))],
    action: async () => {
      const { status, content } = await send("POST", `${service.signIn}/sign-in/email`, { body: { email: email.value.trim(), password: password.value } });
      if (status === 200) return content.twoFactorRedirect ? enterCode() : start();
      password.value = "";
      password.focus();
      throw rejection(status, content, "wrongPassword");
    },
  }));
  (note ? heading : email).focus();
}

/**
 * Returns the error of a failed sign-in. Some of better-auth's error codes have their own text.
 * @param {number} status
 * @param {{ code?: string } | null} content
 * @param {TextKey} unauthorized
 */
const rejection = (status, content, unauthorized) => new Problem(status, keyOf(content?.code) ?? (status === 400 || status === 401 ? unauthorized : ""));

// Asks for the code of an account with a second factor.
function enterCode() {
  const code = h("input", { name: "code", autocomplete: "one-time-code", required: true });
  const trust = h("input", { type: "checkbox", name: "trust" });
  entrance(mark(), title(), form({
    fields: [field(t("code"), code, { hint: t("codeHint") }), h("label", { class: "choice" }, trust, t("trustDevice"))],
    buttons: [button(t("cancel"), () => enter()), submit(t("signIn"))],
    action: async () => {
      const text = code.value.trim();
      const isCode = /^\d{6}$/.test(text.replaceAll(" ", ""));
      const { status, content } = await send("POST", `${service.signIn}/two-factor/verify-${isCode ? "totp" : "backup-code"}`, { body: { code: isCode ? text.replaceAll(" ", "") : text, trustDevice: trust.checked } });
      if (status === 200) return start();
      if (content?.code === "INVALID_TWO_FACTOR_COOKIE") return enter(t("codeExpired"));
      if (content?.code === "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE") return enter(t("tooManyCodes"));
      code.value = "";
      code.focus();
      throw rejection(status, content, "wrongCode");
    },
  }));
  code.focus();
}

async function leave() {
  const asking = caller;
  const { status, content } = await send("POST", `${service.signIn}/sign-out`, { body: {} });
  // Ignore a second click.
  if (asking !== caller) return;
  if (status === 200) return enter(t("signedOut"), true);
  tell(new Problem(status, content?.code).message);
}

function bar() {
  return h("header", { class: "bar" }, mark(), title(), h("span", { class: "host muted" }, location.hostname),
    caller && h("div", { class: "who" }, h("span", { class: "name" }), rolePill(caller.role), canSignIn && button(t("signOut"), leave, "quiet")));
}
/** @param {OwnUser} user */
function showName(user) {
  const place = find(".bar .name");
  if (place) place.textContent = nameOf(user);
}
/** @type {(self: Caller) => Promise<OwnUser>} */
const readOwn = (self) => readUser(self).then(({ data }) => data, (error) => {
  if (error.status !== 404) throw error;
  return { id: self.id, name: self.id, email: "", role: self.role };
});

/** @param {OwnUser} own */
function showOwn(own) {
  /** @type {[string, Child][]} */
  const rows = [[t("email"), own.email], [t("id"), own.id], [t("created"), time(own.createdAt, timeFormat)], [t("emailVerified"), t(own.emailVerified ? "yes" : "no")]];
  show(bar(), h("main", null, h("div", { class: "card own" }, h("div", { class: "person" }, avatar(own, "large"), h("div", null, h("h2", null, nameOf(own)), statusPills(own))),
    facts(rows), h("p", { class: "muted" }, t("ownRecord")))));
  showName(own);
}

/** @param {string} [note] for the sign-in form, if there is no session */
async function start(note) {
  // Until the caller is known, show no data.
  caller = list = null;
  show(bar(), h("main", { "aria-busy": "true" }, h("p", { class: "none" }, t("loading"))));
  try {
    const { status, content } = await send("GET", "?caller");
    if (status !== 200) throw new Problem(status);
    caller = content;
    if (!caller) return enter(note);
    if (caller.role === "user") return showOwn(await readOwn(caller));
  } catch (error) {
    const { status, message } = problemOf(error);
    if (status === 401) return;
    return entrance(mark(), title(), alertBox(message), actions(button(t("reload"), start, "main")));
  }
  list = new List();
  show(bar(), h("main", null, list.nodes));
  list.refresh();
  // Ignore errors, because the list reports them.
  readOwn(caller).then(showName, problemOf);
  await restore();
  // If the session has ended again, report the bulk change after the next sign-in.
  if (!caller) return;
  if (interrupted?.caller === caller.id) interrupted.report();
  interrupted = null;
}

// Opens the user in the URL or, if there is none, the draft's user, and enters the draft's values. Also opens the draft of a new user.
async function restore() {
  written = location.href;
  const linked = fragment().get("user");
  const draft = draftOf(linked);
  // The application's sign-in page may have redirected to a URL without the user.
  const user = linked ?? draft?.user;
  if (user) {
    // Remove a draft that belongs to another caller or user.
    if (!draft) sessionStorage.removeItem(draftKey);
    return showUser(user, { isNew: !linked });
  }
  // Discard the draft of a bulk change, because its selection is lost.
  if (!draft || !("name" in draft.typed || "email" in draft.typed)) return sessionStorage.removeItem(draftKey);
  createUser(draft.typed);
  endDraft();
}
// Applies the state in the URL after Back or Forward. If there are edits, first restores the URL and asks.
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

function restart() {
  keepDraft();
  start(caller ? t("status.401") : "");
}
// Starts again if another tab has signed out or in, or if the caller's role has changed.
async function checkCaller() {
  const asking = caller;
  if (!asking) return;
  const { status, content } = await send("GET", "?caller");
  if (status === 200 && asking === caller && (content?.id !== asking.id || content.role !== asking.role)) restart();
}

listener = {
  sessionEnded: () => {
    keepDraft();
    enter(t("status.401"));
  },
  forbidden: checkCaller,
  // The list may still show a deleted user. Bulk changes refresh the list themselves.
  notFound: () => {
    if (dialogs().some((each) => each.user)) list?.refresh();
  },
  copyIsFrom: noteCopy,
  selfChanged: (user, isOtherRole) => {
    if (isOtherRole) start();
    else showName(user);
  },
};
addEventListener("popstate", follow);
document.addEventListener("visibilitychange", () => document.hidden || checkCaller());
// The browser may show the page as it was left, although the session has ended.
addEventListener("pageshow", ({ persisted }) => persisted && restart());
if (service.logo) /** @type {HTMLLinkElement} */ (find("link[rel=icon]")).href = service.logo;
start();
