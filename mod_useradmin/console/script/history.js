// What the audit log says about one user.

/** @type {Record<string, TextKey>} */
const changedFields = { name: "name", email: "email", role: "role", emailVerified: "verification", banned: "banned", banReason: "reason", banExpires: "until" };
/** @type {(key: string, value: unknown) => string} */
function valueText(key, value) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (key === "banExpires") return timeFormat.format(new Date(String(value)));
  return key === "role" ? nameOfRole(String(value)) : brief(String(value));
}
/**
 * Returns lines such as "Role: User → Admin".
 * @param {AuditEvent} event
 */
function changesOf({ old: before = {}, new: after = {} }) {
  const isBoth = Object.keys(before).length > 0 && Object.keys(after).length > 0;
  if (!isBoth) return [];
  return Object.entries(changedFields).filter(([key]) => key in after || key in before).map(([key, label]) =>
    `${t(label)}: ${apart(valueText(key, before[key]))} → ${apart(valueText(key, after[key]))}`);
}

class UserHistory {
  #events = h("ul", { class: "events" });
  #said = h("p", { class: "muted", role: "status" });
  #more = h("div", { class: "actions" });
  /** @type {Map<string, Promise<string>>} */
  #names = new Map();
  #readings = 0;

  /** @param {{ id: string }} user */
  constructor(user) {
    this.user = user;
    this.node = h("details", { ontoggle: () => this.refresh() }, h("summary", null, h("h3", null, t("history"))), this.#events, this.#said, this.#more);
  }

  refresh() {
    if (this.node.open) this.#load();
  }

  /** @param {number} [before] */
  async #load(before) {
    const mine = ++this.#readings;
    this.node.setAttribute("aria-busy", "true");
    try {
      const { data, earlier } = await readEvents(this.user, before);
      if (mine !== this.#readings) return;
      const items = data.map((event) => this.#item(event));
      if (before === undefined) this.#events.replaceChildren();
      this.#events.append(...items);
      this.#said.textContent = this.#events.childElementCount || earlier !== null ? "" : t("noHistory");
      this.#more.replaceChildren(earlier === null ? "" : button(t("earlier"), () => this.#load(earlier)));
      // The button that was pressed is gone.
      if (before !== undefined) (items[0] ?? this.#more.firstElementChild ?? this.node.firstElementChild)?.focus();
    } catch (error) {
      this.#said.textContent = problemOf(error).message;
    } finally {
      if (mine === this.#readings) this.node.removeAttribute("aria-busy");
    }
  }

  /** @param {AuditEvent} event */
  #item(event) {
    const operation = `event.${event.operation}`;
    const who = h("span");
    this.#nameCaller(event).then((name) => (who.textContent = t("by", { name })));
    const facts = [h("span", null, time(event.time, timeFormat)), event.caller && who, event.address].filter(Boolean);
    return h("li", { tabindex: "-1" },
      h("span", null, isText(operation) ? t(operation) : event.operation, event.result !== "done" && [" ", h("span", { class: "pill warn" }, t(`result.${event.result}`))]),
      h("p", { class: "muted small" }, facts.map((fact, index) => [index > 0 && " · ", fact])),
      changesOf(event).map((change) => h("p", { class: "small" }, change)));
  }

  /**
   * @param {AuditEvent} event
   * @returns {Promise<string>}
   */
  async #nameCaller({ caller: id, server }) {
    if (!id) return "";
    if (server === "useradminctl") return `${id} (useradminctl)`;
    if (isSelf({ id })) return t("you");
    const name = this.#names.get(id) ?? send("GET", addressOf(pathOf({ id }))).then(({ content }) => (content?.success ? nameOf(content.data) : id), () => id);
    this.#names.set(id, name);
    return name;
  }
}
