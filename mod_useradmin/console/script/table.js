// The table of users in the list.

/**
 * @typedef {object} Row
 * @property {HTMLTableRowElement} node
 * @property {HTMLButtonElement} open
 * @property {HTMLInputElement | null} pick the checkbox, if the caller can select users
 * @property {User} user
 * @property {string} state what the row shows
 */

class Table {
  /** @type {ListColumn[]} */
  columns = [];
  /** @type {HTMLElement[]} */
  #heads = [];
  #widths = h("colgroup");
  #head = h("tr", { role: "row" });
  #body = h("tbody", { role: "rowgroup" });
  /** @type {Map<string, Row>} */
  #rows = new Map();

  /**
   * @param {(key: string) => unknown} sortBy
   * @param {UserSelection | null} selection
   */
  constructor(sortBy, selection) {
    this.sortBy = sortBy;
    this.selection = selection;
    this.node = h("table", { role: "table", "aria-label": t("title") }, this.#widths, h("thead", { role: "rowgroup" }, this.#head), this.#body);
    this.choose();
  }

  // Creates the headers of the shown columns. paint() updates the rows.
  choose() {
    this.columns = shownColumns();
    /** @type {(text: string, key: string | false, before?: Child) => HTMLElement} */
    const head = (text, key, before) => h("th", { scope: "col", role: "columnheader", "data-key": key }, before, key ? h("button", { type: "button", onclick: () => this.sortBy(key) }, text, icon("down")) : text);
    this.#heads = [head(t("user"), "name", this.selection?.head.parentNode), ...this.columns.map(({ key, label, isSorted }) => head(label, isSorted === true && key))];
    this.#widths.replaceChildren(h("col", { class: "wide" }), ...this.columns.map(() => h("col")));
    this.#head.replaceChildren(...this.#heads);
  }

  rows() {
    return [...this.#rows.values()];
  }
  hasFocus() {
    return this.#body.contains(document.activeElement);
  }

  /** @param {string} sort */
  paintSort(sort) {
    const [key, order] = sort.split(" ");
    for (const head of this.#heads)
      head.ariaSort = head.dataset.key !== key ? null : order === "asc" ? "ascending" : "descending";
  }

  /**
   * Shows the users. Keeps the rows of users that were already shown, with their focus and selection.
   * @param {User[]} users
   */
  paint(users) {
    const focused = document.activeElement;
    const hadFocus = this.hasFocus();
    const before = this.#rows;
    this.#rows = new Map(users.map((user) => [user.id, before.get(user.id) ?? this.#row(user)]));
    for (const [id, { node }] of before) if (!this.#rows.has(id)) node.remove();
    let at = this.#body.firstElementChild;
    for (const user of users) {
      const row = this.#rows.get(user.id);
      if (!row) continue;
      this.#update(row, user);
      if (row.node === at) at = at.nextElementSibling;
      else this.#body.insertBefore(row.node, at);
    }
    // Moving a row removes the focus from it.
    if (focused instanceof HTMLElement && this.#body.contains(focused)) focused.focus();
    else if (hadFocus) find("input[type=search]")?.focus();
  }

  /**
   * @param {User} user
   * @returns {Row}
   */
  #row(user) {
    const open = h("button", { type: "button", "data-user": user.id });
    const node = h("tr", { role: "row", onclick: (event) => {
      if (getSelection()?.toString() && event.target !== open) return;
      if (event.target instanceof Node && pick?.parentNode?.contains(event.target)) return;
      open.focus();
      showUser(row.user.id, { known: row.user });
    } });
    const pick = this.selection && pickBox((isPicked) => this.selection?.set([row.user], isPicked));
    /** @type {Row} */
    const row = { node, open, pick, user, state: "" };
    return row;
  }

  /**
   * @param {Row} row
   * @param {User} user
   */
  #update(row, user) {
    // A ban may have ended in the meantime.
    const state = JSON.stringify([user, isBanned(user), this.columns.map(({ key }) => key)]);
    row.user = user;
    if (row.state === state) return;
    row.state = state;
    const focused = document.activeElement;
    row.open.textContent = nameOf(user);
    row.pick?.setAttribute("aria-label", t("selectUser", { name: nameOf(user) }));
    row.node.replaceChildren(
      h("td", { role: "cell" }, h("div", { class: "person" }, row.pick?.parentNode, avatar(user), h("span", null, row.open, h("span", { class: "muted small" }, brief(user.email))))),
      ...this.columns.map(({ key, label, isOptional, cell }) => h("td", { role: "cell", class: key === "role" || key === "status" ? "" : "muted", "data-label": isOptional && label }, cell(user))));
    if (focused instanceof HTMLElement && row.node.contains(focused)) focused.focus();
  }
}
