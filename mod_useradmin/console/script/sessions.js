// The sessions of one user.

/** @param {string | null} agent */
function deviceOf(agent) {
  if (!agent) return t("unknownDevice");
  /** @param {[RegExp, string][]} pairs */
  const first = (pairs) => pairs.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = first([[/Edg/, "Edge"], [/OPR\//, "Opera"], [/Firefox\/|FxiOS/, "Firefox"], [/Chrome\/|CriOS/, "Chrome"], [/Safari\//, "Safari"]]);
  const system = first([[/Windows/, "Windows"], [/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Mac OS X/, "macOS"], [/Linux/, "Linux"]]);
  return browser && system ? t("on", { browser, system }) : (browser ?? brief(agent));
}

class Sessions {
  node = h("section");
  #readings = 0;
  // The id of the caller's session, or null if it is unknown or the caller is another user.
  #own = null;

  /**
   * @param {{ id: string }} user
   * @param {(action: () => Promise<void>) => Promise<void>} press runs a button's action
   * @param {Task["done"]} done
   */
  constructor(user, press, done) {
    this.user = user;
    this.press = press;
    this.done = done;
  }

  // Reads and shows the sessions, or why that failed.
  async load() {
    const mine = ++this.#readings;
    try {
      const [{ data }, own] = await Promise.all([readSessions(this.user), this.#readOwn()]);
      if (mine !== this.#readings) return;
      this.#own = own;
      this.#paint(
        number.format(data.length), !isCopy && data.length > 0 && button(t("endAll"), () => this.press(() => this.#end("endedAll"))),
        data.length === 0 ? h("p", { class: "muted" }, t("noSessions")) : h("ul", { class: "sessions" }, data.map((session) => this.#item(session))));
    } catch (error) {
      const { message } = problemOf(error);
      if (mine === this.#readings) this.#paint("", false, alertBox([message, button(t("reload"), () => this.load().then(() => this.focus()))]));
    }
  }
  /**
   * @param {string} count
   * @param {Child} action
   * @param {Node} content
   */
  #paint(count, action, content) {
    this.node.replaceChildren(h("header", null, h("h3", { tabindex: "-1" }, t("sessions"), " ", h("span", { class: "muted" }, count)), action), content);
  }
  focus() {
    this.node.querySelector("h3")?.focus();
  }

  // Only the sign-in endpoints return the id of the current session.
  async #readOwn() {
    if (!canSignIn || !isSelf(this.user)) return null;
    const { content } = await send("GET", `${service.signIn}/get-session?disableRefresh=true`);
    return content?.session?.id ?? null;
  }

  /** @param {Session} session */
  #item(session) {
    const device = deviceOf(session.userAgent);
    const facts = [session.ipAddress, session.createdAt && t("since", { time: timeText(session.createdAt) })];
    return h("li", null,
      h("div", null, h("span", { title: session.userAgent }, device), session.id === this.#own && [" ", pill(t("thisSession"))], h("p", { class: "muted small" }, joined(facts, " · "))),
      !isCopy && h("button", { type: "button", "aria-label": t("endSessionOf", { device }), onclick: busy(() => this.press(() => this.#end("endedSession", session))) }, t("endSession")));
  }

  /**
   * Ends one session or all of them. Asks first if this may end the caller's own session.
   * @param {TextKey} text
   * @param {Session} [session]
   */
  async #end(text, session) {
    const isOther = !isSelf(this.user) || (this.#own && session && session.id !== this.#own);
    if (!isOther && !(await confirmEndOfOwn())) return;
    await removal(call("DELETE", `${pathOf(this.user)}/sessions${session ? `/${encodeURIComponent(session.id)}` : ""}`));
    await this.done(t(text), { endsSessions: true, changesCounts: false });
    this.focus();
  }
}
