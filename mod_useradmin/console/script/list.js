// The list of users: its query, which is also in the URL, and the controls around the table.

/** @type {TextKey[]} */
const sorts = ["createdAt desc", "createdAt asc", "updatedAt desc", "updatedAt asc", "name asc", "name desc", "email asc", "email desc"];
if (hasExtras) sorts.push("lastSeen desc", "lastSeen asc");
const empty = { search: "", role: "", banned: "", emailVerified: "", seen: "", createdFrom: "", createdTo: "", sort: String(sorts[0]), limit: String(limits[0]), page: "1" };
/** @typedef {typeof empty} Query */
/** @type {(key: string) => key is keyof Query} */
const isQueryKey = (key) => Object.hasOwn(empty, key);

// Returns the query in the URL.
function queryInAddress() {
  const query = { ...empty };
  for (const [key, value] of fragment()) if (isQueryKey(key)) query[key] = value;
  if (!/^[1-9]\d{0,8}$/.test(query.page)) query.page = empty.page;
  return query;
}
/**
 * Returns the user whose id is the search string, or an empty array if there is none or other filters are set. If the
 * search has found other users, only a number is treated as an id.
 * @param {Record<string, string>} filters
 * @param {boolean} hasOthers
 * @param {AbortSignal} signal
 * @returns {Promise<User[]>}
 */
async function withId({ search: id = "", ...others }, hasOthers, signal) {
  if (!(/^\d+$/.test(id) || (!hasOthers && /^[\w-]{6,}$/.test(id))) || Object.keys(others).length) return [];
  const { status, content } = await send("GET", addressOf(pathWithColumns({ id })), { signal });
  return status === 200 && content?.success ? [content.data] : [];
}
/** @type {(label: string, node: HTMLElement, kind?: string) => HTMLElement} */
const labeled = (label, node, kind = "filter") => h("div", { class: kind }, h("label", { for: node.id }, label), node);

/**
 * Returns the start of a day in local time plus an offset, or an empty string if the day is empty.
 * @param {string} day
 */
function startOf(day, days = 0, milliseconds = 0) {
  const [year, month, date] = day.split("-").map(Number);
  return day && new Date(year, month - 1, date + days, 0, 0, 0, milliseconds).toISOString();
}

class Pager {
  #range = h("span", { class: "range muted" });
  #save;
  // The cursors of the adjacent pages. Unlike page numbers, they cost the same at any depth.
  /** @type {{ previous?: string, next?: string }} */
  cursors = {};
  #page = 1;
  #pages = h("span");

  /**
   * @param {Node} limit
   * @param {() => unknown} save
   * @param {(page: number, focus: Focused, cursor?: string) => unknown} turn
   */
  constructor(limit, save, turn) {
    this.previous = button(t("previous"), () => turn(this.#page - 1, this.previous, this.cursors.previous));
    this.next = button(t("next"), () => turn(this.#page + 1, this.next, this.cursors.next));
    this.#save = button(t("saveCsv"), save, "quiet");
    /** @type {HTMLInputElement} */
    const input = h("input", { type: "number", min: 1, onkeydown: (/** @type {KeyboardEvent} */ { key }) => {
      if (key === "Enter") turn(Math.min(Math.max(Math.trunc(Number(input.value)) || this.#page, 1), Number(input.max)), input);
    } });
    this.input = input;
    this.jump = h("label", null, t("page"), input, this.#pages);
    this.node = h("nav", { class: "foot", hidden: true, "aria-label": t("pages") }, this.#range, this.#save, h("label", null, t("perPage"), limit), this.jump, this.previous, this.next);
  }

  /**
   * @param {number} shown
   * @param {number} total
   * @param {ResponseOf<"list">} response
   */
  paint(shown, total, { hasNext, pagination: { page, limit, total: matching, totalPages } }) {
    const from = (page - 1) * limit + 1;
    this.#range.textContent = shown ? t("range", { from, to: from + shown - 1, total }) : "";
    // Users found only by their id are not in the CSV file.
    this.#save.hidden = !matching;
    this.#page = page;
    this.input.value = String(page);
    this.input.max = String(totalPages);
    this.#pages.textContent = t("ofPages", { count: totalPages });
    this.jump.hidden = totalPages <= 1;
    this.previous.disabled = page <= 1;
    // The number of pages may be outdated.
    this.next.disabled = !hasNext;
  }

  clear() {
    this.#range.textContent = "";
    this.#save.hidden = true;
    this.previous.disabled = this.next.disabled = this.jump.hidden = true;
  }
}

/** @typedef {HTMLElement & { disabled?: boolean }} Focused */

class List {
  #query = queryInAddress();
  #search = h("input", { type: "search", id: newId(), autocomplete: "off", spellcheck: "false", maxlength: 200, value: this.#query.search });
  #controls = {
    role: this.#choice("role", [["", t("all")], ...roles("user")]),
    banned: this.#choice("banned", [["", t("all")], ["true", t("hasBan")], ["false", t("notBanned")]]),
    emailVerified: this.#choice("emailVerified", [["", t("all")], ["true", t("yes")], ["false", t("no")]]),
    // A number of days. Negative values select users who have not been seen for that long.
    seen: this.#choice("seen", hasExtras ? [["", t("all")], ["30", t("seen")], ["-90", t("unseen90")], ["-365", t("unseen365")]] : [["", ""]]),
    createdFrom: this.#day("createdFrom"),
    createdTo: this.#day("createdTo"),
    sort: this.#choice("sort", sorts.map((each) => [each, t(each)])),
    limit: this.#choice("limit", limits.map((each) => [String(each), String(each)])),
  };
  /** @type {HTMLButtonElement} Shows and hides the filters on a phone. */
  #fold = h("button", { type: "button", class: "fold", "aria-expanded": "false", onclick: () => (this.#fold.ariaExpanded = String(this.#fold.ariaExpanded !== "true")) });
  #summary = new Summary((values) => this.#change({ ...empty, ...values }));
  /** @type {UserSelection | null} */
  #selection = isSuper() ? new UserSelection((values) => readList({ ...this.#parameters(), ...values }), (text) => (this.#status.textContent = text)) : null;
  /** @type {Table} */
  #table = new Table((key) => this.#change({ sort: this.#sortAfter(key) }), this.#selection);
  #pager = new Pager(this.#controls.limit, () => new CsvExport(this.#parameters()).run(), (page, focus, cursor) => this.#change({ page: String(page) }, { focus, cursor }));
  #status = h("p", { class: "hidden", role: "status" });
  #waiting = h("p", { class: "none" }, t("loading"));
  #none = h("div", { class: "none", hidden: true }, h("p", null, t("noneFound")), button(t("clear"), () => this.#change(empty, { focus: this.#search })));
  #problem = alertBox();
  #region = h("div", null, this.#table.node);
  /** @type {AbortController | null} */
  #running = null;
  #timer = 0;

  constructor() {
    this.#search.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#applySearch(), 350);
    });
    this.#search.addEventListener("change", () => {
      // Write the search to the history before a drawer that the user opens next.
      if (this.#search.value.trim() !== this.#query.search) this.#applySearch();
      // Give the next search a new history entry.
      if (history.state === "typed") history.replaceState(null, "");
    });
    const { role, banned, emailVerified, seen, createdFrom, createdTo, sort } = this.#controls;
    const tools = h("div", { class: "tools" },
      h("div", { class: "search" }, h("label", { for: this.#search.id }, t("search")), icon("search"), this.#search), this.#fold,
      isSuper() && labeled(t("role"), role), labeled(t("status"), banned), labeled(t("emailVerified"), emailVerified),
      hasExtras && labeled(t("lastSeen"), seen),
      labeled(t("createdFrom"), createdFrom), labeled(t("createdTo"), createdTo), labeled(t("sort"), sort, ""), button(t("columns"), () => chooseColumns(() => this.#showColumns()), "quiet small muted choose"),
      h("button", { type: "button", class: "main change", onclick: () => createUser() }, icon("plus"), t("newUser")));
    this.nodes = [copyNotice, this.#summary.node, h("div", { class: "card list" }, tools, this.#selection?.node ?? "", this.#problem, this.#status, this.#region, this.#waiting, this.#none, this.#pager.node), button(t("keys"), showKeys, "quiet small muted")];
    this.#paintControls();
  }

  #applySearch() {
    this.#change({ search: this.#search.value.trim() }, { isNew: history.state !== "typed", kind: "typed" });
  }
  state() {
    return Object.entries(this.#query).filter(([key, value]) => isQueryKey(key) && value !== empty[key]);
  }
  // Applies the state in the URL.
  follow() {
    const before = JSON.stringify(this.#query);
    Object.assign(this.#query, queryInAddress());
    this.#paintControls();
    if (JSON.stringify(this.#query) === before) return;
    this.#search.value = this.#query.search;
    this.#refreshRows();
  }
  /**
   * Updates a user in the selection, which may contain users of other pages.
   * @param {User} user
   */
  update(user) {
    this.#selection?.update(user);
  }
  /** @param {User} user */
  deselect(user) {
    this.#selection?.set([user], false);
  }
  /** @param {Effects} effects */
  refresh({ changesCounts = true } = {}) {
    this.#refreshRows();
    if (changesCounts) this.#summary.refresh();
  }

  /**
   * @param {keyof Query} key
   * @param {Choice[]} choices
   */
  #choice(key, choices) {
    const node = select(choices, this.#query[key], { id: newId(), onchange: () => this.#change({ [key]: node.value }) });
    this.#choose(key, node);
    return node;
  }
  /** @param {"createdFrom" | "createdTo"} key */
  #day(key) {
    /** @type {HTMLInputElement} */
    const node = h("input", { type: "date", id: newId(), max: "9999-12-31", onchange: () => {
      // While a year is being typed, its first digits already form a valid date.
      if (!node.value || node.value > "1000") this.#change({ [key]: node.value });
    } });
    this.#choose(key, node);
    return node;
  }
  /**
   * Shows the query's value in its control. Replaces an unknown value with the default.
   * @param {keyof Query} key
   * @param {HTMLSelectElement | HTMLInputElement} node
   */
  #choose(key, node) {
    const value = this.#query[key];
    if (node.type === "date" && !/^(\d{4}-\d\d-\d\d)?$/.test(value)) this.#query[key] = "";
    // Keep a date that the user is still typing.
    else if (node.value !== value) node.value = value;
    if (node.value !== this.#query[key]) node.value = this.#query[key] = empty[key];
  }
  #paintControls() {
    for (const [key, node] of Object.entries(this.#controls)) if (isQueryKey(key)) this.#choose(key, node);
    const count = Object.keys(this.#filters()).filter((key) => key !== "search").length;
    this.#fold.textContent = t("filters") + (count ? ` (${number.format(count)})` : "");
  }
  #showColumns() {
    this.#table.choose();
    this.#refreshRows();
  }
  /** @param {string} key */
  #sortAfter(key) {
    const { sort } = this.#query;
    return sort === `${key} asc` ? `${key} desc` : sort === `${key} desc` ? `${key} asc` : key === "name" ? "name asc" : `${key} desc`;
  }

  /**
   * @param {Partial<Query>} values
   * @param {{ focus?: Focused, cursor?: string, isNew?: boolean, kind?: "typed" | null }} options
   */
  #change(values, { focus, cursor, isNew = true, kind = null } = {}) {
    if (toast.querySelector("button")) toast.replaceChildren();
    Object.assign(this.#query, { page: "1" }, values);
    this.#paintControls();
    // Keep a trailing space that the user has just typed.
    if (values.search !== undefined && this.#search.value.trim() !== this.#query.search) this.#search.value = this.#query.search;
    writeAddress(isNew, kind);
    return this.#refreshRows(focus, cursor);
  }

  #filters() {
    const { search, role, banned, emailVerified, seen, createdFrom, createdTo } = this.#query;
    const [createdAfter, createdBefore] = [startOf(createdFrom, 0, -1), startOf(createdTo, 1)];
    const lastSeen = seen && { [seen.startsWith("-") ? "lastSeenBefore" : "lastSeenAfter"]: startOf(dayOf(new Date()), -Math.abs(Number(seen))) };
    return Object.fromEntries(Object.entries({ search, banned, emailVerified, createdAfter, createdBefore, ...lastSeen, role: isSuper() ? role : "" }).filter(([, value]) => value));
  }
  /** @param {string} [cursor] */
  #parameters(cursor) {
    const { page, limit } = this.#query;
    const [sort, order] = this.#query.sort.split(" ");
    return { match: "all", page, limit, sort, order, ...this.#filters(), ...columnsParameter(this.#table.columns.flatMap(({ extra }) => extra ?? [])), ...(cursor ? { cursor } : {}) };
  }

  /**
   * @param {Focused} [focus]
   * @param {string} [cursor]
   * @returns {Promise<void>}
   */
  async #refreshRows(focus, cursor) {
    clearTimeout(this.#timer);
    this.#pager.cursors = {};
    this.#selection?.keepFor(JSON.stringify(this.#filters()));
    this.#running?.abort();
    const mine = (this.#running = new AbortController());
    this.#region.ariaBusy = "true";
    try {
      const response = await readList(this.#parameters(cursor), mine.signal);
      if (mine !== this.#running) return;
      const { page, totalPages } = response.pagination;
      const found = page > 1 && response.total ? [] : await withId(this.#filters(), response.total > 0, mine.signal);
      if (mine !== this.#running) return;
      const added = found.filter(({ id }) => !response.data.some((user) => user.id === id));
      this.#problem.replaceChildren();
      this.#pager.cursors = response;
      // The page is empty now. Always go back at least one page, because the total may be outdated.
      if (!response.data.length && page > 1 && response.total > 0) return this.#change({ page: String(Math.min(totalPages, page - 1)) }, { focus, isNew: false });
      this.#paint([...added, ...response.data], response.total + added.length, response);
      this.#focus(focus);
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      const { message } = problemOf(error);
      if (mine === this.#running) this.#fail(message, focus);
    } finally {
      if (mine === this.#running) {
        this.#region.ariaBusy = null;
        this.#waiting.hidden = true;
        this.#pager.node.hidden = false;
      }
    }
  }

  /**
   * @param {User[]} users
   * @param {number} total
   * @param {ResponseOf<"list">} response
   */
  #paint(users, total, response) {
    this.#table.paintSort(this.#query.sort);
    this.#table.paint(users);
    this.#selection?.show(this.#table.rows(), total);
    this.#none.hidden = users.length > 0;
    this.#status.textContent = counted("found", total);
    this.#pager.paint(users.length, total, response);
  }
  /** @param {Focused} [focus] */
  #focus(focus) {
    const { previous, next } = this.#pager;
    if (focus?.disabled) (focus === next ? previous : next).focus();
    else focus?.focus();
  }

  /**
   * Shows the error instead of the rows, which do not match the query.
   * @param {string} message
   * @param {Focused} [focus]
   */
  #fail(message, focus) {
    const again = button(t("reload"), () => this.#refreshRows(this.#search));
    const hadFocus = focus?.disabled === false || this.#table.hasFocus() || this.#problem.contains(document.activeElement);
    this.#table.paint([]);
    this.#selection?.show([], 0);
    this.#pager.clear();
    this.#status.textContent = "";
    this.#none.hidden = true;
    this.#problem.replaceChildren(message, again);
    if (hadFocus) again.focus();
  }
}
