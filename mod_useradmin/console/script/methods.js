// The ways in which one user signs in.

/** @param {SignInMethod} method */
function nameOfMethod({ kind, provider, name, start }) {
  const what = kind !== "account" ? t(`method.${kind}`) : provider === "credential" ? t("password") : t("accountAt", { provider });
  return brief([what, visible(name ?? ""), start && `${start}…`].filter(Boolean).join(" "));
}

class SignInMethods {
  #items = h("ul", { class: "sessions" });
  #said = h("p", { class: "muted", role: "status" });
  #readings = 0;

  /**
   * @param {{ id: string }} user
   * @param {(method: SignInMethod) => unknown} remove opens the dialog that removes one
   */
  constructor(user, remove) {
    this.user = user;
    this.remove = remove;
    this.node = h("details", { ontoggle: () => this.refresh() }, h("summary", null, h("h3", null, t("methods"))), this.#items, this.#said);
  }

  async refresh() {
    if (!this.node.open) return;
    const mine = ++this.#readings;
    this.node.setAttribute("aria-busy", "true");
    try {
      const { data } = await readMethods(this.user);
      if (mine !== this.#readings) return;
      this.#items.replaceChildren(...data.map((method) => this.#item(method)));
      this.#said.textContent = data.length ? "" : t("noMethods");
    } catch (error) {
      this.#said.textContent = problemOf(error).message;
    } finally {
      if (mine === this.#readings) this.node.removeAttribute("aria-busy");
    }
  }

  /** @param {SignInMethod} method */
  #item(method) {
    const { kind, createdAt, expiresAt, enabled } = method;
    const facts = [createdAt && t("since", { time: timeFormat.format(new Date(createdAt)) }), expiresAt && t("validUntil", { time: timeFormat.format(new Date(expiresAt)) }), enabled === false && t("disabled")];
    return h("li", null,
      h("div", null, nameOfMethod(method), h("p", { class: "muted small" }, facts.filter(Boolean).join(" · "))),
      // Resetting the second factor has a button of its own.
      !isCopy && kind !== "second-factor" && h("button", { type: "button", "aria-label": t("removeMethodOf", { name: nameOfMethod(method) }), onclick: () => this.remove(method) }, t("removeMethod")));
  }
}
