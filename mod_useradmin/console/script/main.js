// Signing in and out.

function enter(note = "", isGood = false) {
  caller = list = null;
  const heading = title();
  const parts = [mark(), h("div", null, heading, h("p", { class: "muted" }, location.hostname)), h("div", { class: isGood ? "notice" : "notice warn", role: "status" }, note)];
  if (canSignIn) {
    const email = h("input", { type: "email", name: "email", autocomplete: "username", required: true });
    const password = h("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
    parts.push(form({
      fields: [field(t("email"), email), field(t("password"), password)],
      buttons: [submit(t("signIn"))],
      action: async () => {
        const { status, content } = await send("POST", `${service.signIn}/sign-in/email`, { body: { email: email.value.trim(), password: password.value } });
        if (status === 200) return content.twoFactorRedirect ? enterCode() : start();
        password.value = "";
        password.focus();
        throw refusal(status, content, "wrongPassword");
      },
    }));
    show(h("main", null, h("div", { class: "card entrance" }, parts)));
    return (note ? heading : email).focus();
  }
  parts.push(h("p", null, t("signInElsewhere")), h("div", { class: "actions" }, button(t("reload"), start), service.signInPage && h("a", { class: "button main", href: service.signInPage }, t("signIn"))));
  show(h("main", null, h("div", { class: "card entrance" }, parts)));
  heading.focus();
}

function refusal(status, content, unauthorized) {
  const key = { BANNED_USER: "bannedCaller", TWO_FACTOR_REQUIRED: "secondFactor", ACCOUNT_TEMPORARILY_LOCKED: "locked" }[content?.code] ?? { 401: unauthorized, 429: "tooMany" }[status];
  return Object.assign(new Problem(status), key && { message: t(key) });
}

// The second step of an account with a second factor.
function enterCode() {
  const code = h("input", { name: "code", autocomplete: "one-time-code", required: true });
  const trust = h("input", { type: "checkbox", name: "trust" });
  const node = form({
    fields: [field(t("code"), code, { hint: t("codeHint") }), h("label", { class: "choice" }, trust, t("trustDevice"))],
    buttons: [button(t("cancel"), () => enter()), submit(t("signIn"))],
    action: async () => {
      const text = code.value.trim();
      const isCode = /^\d{6}$/.test(text.replaceAll(" ", ""));
      const { status, content } = await send("POST", `${service.signIn}/two-factor/verify-${isCode ? "totp" : "backup-code"}`, { body: { code: isCode ? text.replaceAll(" ", "") : text, trustDevice: trust.checked } });
      if (status === 200) return start();
      if (content?.code === "INVALID_TWO_FACTOR_COOKIE") return enter(t("codeExpired"));
      code.value = "";
      code.focus();
      throw refusal(status, content, "wrongCode");
    },
  });
  show(h("main", null, h("div", { class: "card entrance" }, mark(), title(), node)));
  code.focus();
}

async function leave() {
  const asking = caller;
  const { status } = await send("POST", `${service.signIn}/sign-out`, { body: {} }).catch((error) => ({ status: error.status }));
  // Ignore a second click.
  if (asking !== caller) return;
  if (status === 200) return enter(t("signedOut"), true);
  tell(new Problem(status).message);
}

function bar() {
  return h("header", { class: "bar" }, mark(), title(), h("span", { class: "host muted" }, location.hostname),
    caller && h("div", { class: "who" }, h("span", { class: "name" }), rolePill(caller.role), canSignIn && button(t("signOut"), leave, "quiet")));
}
function showName(user) {
  const place = document.querySelector(".bar .name");
  if (place) place.textContent = nameOf(user);
}
const readOwn = () => call("GET", pathOf(caller)).then(({ data }) => data, (error) => {
  if (error.status !== 404) throw error;
  return { id: caller.id, name: caller.id, email: "", role: caller.role };
});

function showOwn(own) {
  const rows = [[t("email"), own.email], [t("id"), own.id], [t("created"), time(own.createdAt, timeFormat)], [t("verification"), t(own.emailVerified ? "yes" : "no")]];
  show(bar(), h("main", null, h("div", { class: "card own" }, h("div", { class: "person" }, avatar(own, "large"), h("div", null, h("h2", null, nameOf(own)), statusPills(own))),
    h("dl", { class: "facts" }, rows.map(([label, value]) => [h("dt", null, label), h("dd", null, value)])), h("p", { class: "muted" }, t("ownRecord")))));
  showName(own);
}

async function start() {
  try {
    const { status, content } = await send("GET", "?caller");
    if (status !== 200) throw new Problem(status);
    caller = content;
    if (!caller) return enter();
    if (caller.role === "user") return showOwn(await readOwn());
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401) return;
    return show(h("main", null, h("div", { class: "card entrance" }, mark(), title(), h("div", { class: "notice bad", role: "alert" }, error.message), h("div", { class: "actions" }, button(t("reload"), start, "main")))));
  }
  list = makeList();
  show(bar(), h("main", null, list.nodes));
  list.refresh();
  // A failure shows in the list as well.
  readOwn().then(showName, (error) => {
    if (!(error instanceof Problem)) throw error;
  });
  await restore();
}

addEventListener("popstate", follow);
show(bar(), h("main", { "aria-busy": "true" }, h("p", { class: "none" }, t("loading"))));
start();
