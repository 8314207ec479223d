// The sign-in methods of one user.

/** @param {SignInMethod} method */
function nameOfMethod({ kind, provider, name, start }) {
  const what = kind !== "account" ? t(`method.${kind}`) : provider === "credential" ? t("password") : t("accountAt", { provider });
  return brief(joined([what, visible(name ?? ""), start && `${start}…`]));
}

class SignInMethods extends Details {
  #items;

  /**
   * @param {{ id: string }} user
   * @param {(method: SignInMethod) => unknown} remove opens the dialog that removes a method
   */
  constructor(user, remove) {
    const items = h("ul", { class: "sessions" });
    super(t("methods"), items);
    this.#items = items;
    this.user = user;
    this.remove = remove;
  }

  load() {
    return this.read(readMethods(this.user), ({ data }) => {
      const hadFocus = this.#items.contains(document.activeElement);
      this.#items.replaceChildren(...data.map((method) => this.#item(method)));
      if (hadFocus) this.node.querySelector("summary")?.focus();
      this.status.textContent = data.length ? "" : t("noMethods");
    });
  }

  /** @param {SignInMethod} method */
  #item(method) {
    const { kind, createdAt, expiresAt, enabled } = method;
    const facts = [createdAt && t("since", { time: timeText(createdAt) }), expiresAt && t("validUntil", { time: timeText(expiresAt) }), enabled === false && t("disabled")];
    return h("li", null,
      h("div", null, nameOfMethod(method), h("p", { class: "muted small" }, joined(facts, " · "))),
      // A separate button resets the second factor.
      !isCopy && kind !== "second-factor" && h("button", { type: "button", "aria-label": t("removeMethodOf", { name: nameOfMethod(method) }), onclick: () => this.remove(method) }, t("removeMethod")));
  }
}
