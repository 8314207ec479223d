// The audit log's events for one user.

/**
 * Formats a value of an event. Reasons are not shortened, because only the history shows those of earlier bans.
 * @param {string} key
 * @param {unknown} value
 */
function valueText(key, value) {
  if (value && key === "role") return nameOfRole(String(value));
  if (value && key === "banReason") return String(value);
  return extraText({ type: key === "banExpires" ? "time" : "any" }, value, timeFormat);
}
/**
 * Returns lines such as "Role: User → Admin".
 * @param {AuditEvent} event
 */
function changesOf({ old: before = {}, new: after = {} }) {
  const isBoth = Object.keys(before).length > 0 && Object.keys(after).length > 0;
  if (!isBoth) return [];
  // updatedAt has no text and is omitted, because each event shows its own time.
  return Object.keys({ ...before, ...after }).filter(isText).map((key) =>
    `${t(key)}: ${apart(valueText(key, before[key]))} → ${apart(valueText(key, after[key]))}`);
}

class UserHistory extends Details {
  #events;
  #more = actions();
  /** @type {Map<string, Promise<string>>} */
  #names = new Map();

  /** @param {{ id: string }} user */
  constructor(user) {
    const events = h("ul", { class: "events" });
    super(t("history"), events);
    this.#events = events;
    this.node.append(this.#more);
    this.user = user;
  }

  /** @param {number} [before] */
  load(before) {
    return this.read(readEvents(this.user, before), ({ data, earlier }) => {
      const items = data.map((event) => this.#item(event));
      if (before === undefined) this.#events.replaceChildren();
      this.#events.append(...items);
      this.status.textContent = this.#events.childElementCount || earlier !== null ? "" : t("noHistory");
      this.#more.replaceChildren(earlier === null ? "" : button(t("earlier"), () => this.load(earlier)));
      // The pressed button had the focus and has been removed, so focus the first new event.
      if (before !== undefined) (items[0] ?? this.#more.firstElementChild ?? this.node.firstElementChild)?.focus();
    });
  }

  /** @param {AuditEvent} event */
  #item(event) {
    const operation = `event.${event.operation}`;
    const who = h("span");
    this.#describeCaller(event).then((text) => (who.textContent = text));
    const facts = [h("span", null, time(event.time, timeFormat)), event.caller && who, event.address].filter(Boolean);
    return h("li", { tabindex: "-1" },
      h("span", null, isText(operation) ? t(operation) : event.operation, event.result !== "done" && [" ", pill(t(`result.${event.result}`), "warn")]),
      h("p", { class: "muted small" }, facts.map((fact, index) => [index > 0 && " · ", fact])),
      [...changesOf(event), ...(event.columns ?? [])].map((change) => h("p", { class: "small" }, change)));
  }

  /** @param {AuditEvent} event */
  async #describeCaller({ caller: id, impersonatedBy, server }) {
    if (!id) return "";
    if (server === "useradminctl") return t("by", { name: `${id} (useradminctl)` });
    if (!impersonatedBy) return t("by", { name: await this.#nameFor(id, "byYou") });
    return t("byAs", { real: await this.#nameFor(impersonatedBy, "byYou"), name: await this.#nameFor(id, "you") });
  }

  /**
   * @param {string} id
   * @param {TextKey} you the text for the user who reads the history
   * @returns {Promise<string>}
   */
  async #nameFor(id, you) {
    if (isSelf({ id })) return t(you);
    const name = this.#names.get(id) ?? send("GET", addressOf(pathOf({ id }))).then(({ content }) => (content?.success ? nameOf(content.data) : id));
    this.#names.set(id, name);
    return name;
  }
}
