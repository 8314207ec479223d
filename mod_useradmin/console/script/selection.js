// The users selected in the list, and bulk changes to them.

const mostSelected = 10000;
const maxAttempts = 5;
/**
 * A bulk change during which the session ended. Reported when the same caller has signed in again.
 * @type {{ caller?: string, report: () => unknown } | null}
 */
let interrupted = null;

/**
 * Returns a checkbox inside a label that enlarges its click area. The checkbox is hidden on a read-only copy.
 * @param {(isPicked: boolean) => unknown} onchange
 * @param {string} [label]
 */
function pickBox(onchange, label) {
  /** @type {HTMLInputElement} */
  const box = h("input", { type: "checkbox", "aria-label": label, onchange: () => onchange(box.checked) });
  h("label", { class: "pick change", hidden: isCopy }, box);
  return box;
}

/**
 * Sends a request. If the service is busy, tries again after the time in Retry-After.
 * @template Sent
 * @param {() => Promise<Sent>} request
 * @param {AbortSignal} signal ends the wait
 */
async function retryWhileBusy(request, signal) {
  for (let attempt = 1; ; ++attempt)
    try {
      return await request();
    } catch (error) {
      const { status, wait } = problemOf(error);
      if ((status !== 503 && status !== 429) || attempt === maxAttempts || signal.aborted) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, Math.min(wait, 60) * 1000);
        signal.addEventListener("abort", resolve);
      });
      if (signal.aborted) throw error;
    }
}

/**
 * A bulk change: its dialog, and the change of each user.
 * @typedef {object} BulkTask
 * @property {string} label
 * @property {string} [kind]
 * @property {(users: User[]) => (Leaf | Leaf[])[]} [fields]
 * @property {(name: string) => boolean | Promise<boolean>} [agreed]
 * @property {() => Change} change
 * @property {boolean} [endsSessions]
 * @property {(user: User) => boolean | undefined} [undoes] whether to offer to undo the change of a user
 */

/**
 * Lists the users whose requests failed, with a button that tries again. Returns the button.
 * @param {Frame} frame
 * @param {[user: User, message: string][]} failed
 * @param {() => unknown} again
 */
function showFailures({ content, close }, failed, again) {
  const repeat = button(t("tryAgain"), again, "main");
  content.replaceChildren(
    h("ul", { class: "failures" }, failed.map(([user, message]) => h("li", null, h("a", { href: addressWith(new URLSearchParams({ user: user.id })), target: "_blank" }, nameOf(user)), h("p", null, message)))),
    actions(button(t("close"), close), repeat));
  return repeat;
}

/** @type {(change: Change) => boolean} */
const isRemoval = ([method, path]) => method === "DELETE" && !path;

/** @typedef {{ endsSessions?: boolean, undoes?: (user: User) => boolean | undefined, note?: string | false, ended?: (done: User[]) => unknown }} BulkOptions */
/**
 * The outcome of a bulk change. left: the users whose requests were not sent. tags: the new entity tags. isLate: whether a change
 * has not reached the application's secondary storage.
 * @typedef {{ done: User[], failed: [user: User, message: string][], left: User[], tags: Map<User, string | undefined>, isLate: boolean }} Outcome
 */

/** @param {Outcome} outcome */
function countsOf({ done, failed, left }) {
  /** @type {[TextKey, number][]} */
  const counts = [["doneCount", done.length], ["failedCount", failed.length], ["leftCount", left.length]];
  return joined(counts.map(([key, count]) => count && t(key, { count })));
}

/**
 * Reports a bulk change. If some users were not changed, lists the failures in the dialog.
 * @param {Frame} frame
 * @param {string} title
 * @param {(user: User) => Change} changeOf
 * @param {BulkOptions} options
 * @param {Outcome} outcome
 */
function reportChanges(frame, title, changeOf, options, outcome) {
  const { done, failed, left, tags } = outcome;
  options.ended?.(done);
  frame.close = () => frame.node.close();
  const rest = [...failed.map(([user]) => user), ...left];
  const again = () => {
    frame.close();
    changeAll(title, rest, changeOf, options);
  };
  const repeat = rest.length > 0 && showFailures(frame, failed, again);
  if (!repeat) frame.close();
  isStillAccepted = outcome.isLate;
  const undone = done.filter((user) => options.undoes?.(user));
  const undo = () => changeAll(`${t("undo")}: ${counted("users", undone.length)}`, undone, (user) => restoreBan(user, tags.get(user)), {
    endsSessions: changesEndSessions && undone.some(isBanned),
    note: changesEndSessions && !undone.every(isBanned) && t("stayEnded"),
  });
  tell(joined([countsOf(outcome), options.note]), { endsSessions: options.endsSessions && done.length > 0, link: undone.length > 0 && button(t("undo"), undo) });
  // Showing the message moves the button, so restore its focus.
  if (repeat) repeat.focus();
  list?.refresh();
}

/**
 * Changes the users, four at a time. A dialog shows the progress, then the failures.
 * @param {string} title
 * @param {User[]} users
 * @param {(user: User) => Change} changeOf
 * @param {BulkOptions} options
 */
async function changeAll(title, users, changeOf, options) {
  const asking = caller;
  const stop = new AbortController();
  const frame = dialog(title);
  frame.close = () => stop.abort();
  frame.node.addEventListener("close", frame.close);
  const progress = h("progress", { max: users.length, value: 0, "aria-label": title });
  const progressText = h("p", { class: "muted" });
  frame.content.append(progress, progressText, actions(button(t("stop"), frame.close)));
  /** @type {User[]} */
  const done = [];
  /** @type {Map<User, string | undefined>} */
  const tags = new Map();
  /** @type {[User, string][]} */
  const failed = [];
  let next = 0;
  let isLate = false;
  const work = async () => {
    while (next < users.length && !stop.signal.aborted) {
      const user = users[next++];
      const [method, path, body, tag] = changeOf(user);
      try {
        const response = await retryWhileBusy(() => call(method, pathOf(user) + path, { body, tag }), stop.signal);
        tags.set(user, response.tag);
        if (response.data) list?.update(response.data);
        isLate ||= isStillAccepted;
        done.push(user);
      } catch (error) {
        const { status, message } = problemOf(error);
        if (isRemoval(changeOf(user)) && status === 404) done.push(user);
        else failed.push([user, message]);
      }
      progress.value = done.length + failed.length;
      progressText.textContent = t("progress", { done: progress.value, total: users.length });
    }
  };
  /** @param {Event} event */
  const warn = (event) => event.preventDefault();
  addEventListener("beforeunload", warn);
  await Promise.all([work(), work(), work(), work()]).finally(() => removeEventListener("beforeunload", warn));
  /** @type {Outcome} */
  const outcome = { done, failed, left: users.slice(next), tags, isLate };
  const report = () => reportChanges(frame.node.isConnected ? frame : dialog(title), title, changeOf, options, outcome);
  if (caller?.id === asking?.id) return report();
  if (caller) return;
  interrupted = { caller: asking?.id, report };
  tell(countsOf(outcome));
}

class UserSelection {
  /** @type {Map<string, User>} */
  #users = new Map();
  /** @type {Row[]} */
  #rows = [];
  #total = 0;
  #filters = "";
  #readings = 0;
  #count = h("strong", { id: newId(), tabindex: "-1" });
  #all = button("", () => this.#selectAll());
  head = pickBox((isPicked) => this.set(this.#rows.map(({ user }) => user), isPicked), t("selectPage"));

  /**
   * @param {(values: Record<string, string>) => Promise<ResponseOf<"list">>} read reads a page of the matching users
   * @param {(text: string) => unknown} announce
   */
  constructor(read, announce) {
    this.read = read;
    this.announce = announce;
    this.node = h("div", { class: "selection", role: "group", "aria-labelledby": this.#count.id, hidden: true }, this.#count, this.#all,
      button(t("ban"), () => this.#ban()),
      button(t("unban"), () => this.#ask({ label: t("unban"), change: unbanChange, undoes: isBanned })),
      hasExtras && button(t("endSessions"), () => this.#ask({ label: t("endSessions"), kind: "danger", change: () => ["DELETE", "/sessions"], endsSessions: true })),
      button(t("role"), () => this.#giveRole()),
      button(t("removeMany"), () => this.#remove(), "danger"),
      button(t("clearSelection"), () => this.#clear(), "quiet"));
  }

  /**
   * Shows which of the rows are selected.
   * @param {Row[]} rows
   * @param {number} total the number of matching users
   */
  show(rows, total) {
    this.#rows = rows;
    this.#total = total;
    for (const { user } of rows) this.update(user);
    this.#paint();
  }
  /**
   * Replaces a selected user with a newer version.
   * @param {User} user
   */
  update(user) {
    if (this.#users.has(user.id)) this.#users.set(user.id, user);
  }
  /**
   * Drops the selection if it was made with other filters.
   * @param {string} filters
   */
  keepFor(filters) {
    if (filters === this.#filters) return;
    this.#filters = filters;
    ++this.#readings;
    this.#users.clear();
    this.#paint();
  }
  /**
   * @param {User[]} users
   * @param {boolean} isPicked
   */
  set(users, isPicked) {
    for (const user of users)
      if (!isPicked) this.#users.delete(user.id);
      else if (this.#users.size < mostSelected) this.#users.set(user.id, user);
    this.#paint();
  }

  /**
   * Asks for confirmation, then changes the selected users, except the caller and the protected user.
   * @param {BulkTask} task
   */
  #ask({ label, kind, fields, agreed, change, ...options }) {
    const all = [...this.#users.values()];
    const skipped = all.filter((user) => isSelf(user) || isProtected(user));
    const users = all.filter((user) => !skipped.includes(user));
    const who = new Set(skipped.map((user) => t(isSelf(user) ? "you" : "protectedOne")));
    const note = who.size > 0 && t("skipped", { who: new Intl.ListFormat(locale).format(who) });
    if (!users.length) return note && tell(note);
    const name = counted("users", users.length);
    const title = `${label}: ${name}`;
    formDialog({
      title,
      fields: [note && h("p", { class: "notice warn" }, note), ...(fields?.(users) ?? [])],
      label,
      kind,
      agreed: () => agreed?.(name) ?? true,
      request: async () => change(),
      done: (sent) => changeAll(title, users, () => sent, { ...options, ended: (done) => isRemoval(sent) && this.set(done, false) }),
    });
  }
  #ban() {
    const { nodes, change } = banFields();
    this.#ask({ label: t("ban"), kind: "danger", fields: () => nodes, change, endsSessions: changesEndSessions, undoes: () => true });
  }
  #giveRole() {
    const role = select(roles("user"), "user", { name: "role" });
    this.#ask({
      label: t("giveRole"),
      fields: () => [field(t("role"), role)],
      agreed: (name) => !isPrivileged(role.value) || confirmRole(name, role.value),
      change: () => ["PUT", "", { role: role.value }],
      endsSessions: changesEndSessions,
    });
  }
  #remove() {
    this.#ask({
      label: t("removeMany"),
      kind: "danger",
      fields: (users) => removalFields("title", String(users.length)).nodes,
      change: () => ["DELETE", ""],
      endsSessions: true,
    });
  }

  #clear() {
    ++this.#readings;
    this.#users.clear();
    this.#paint();
    this.head.focus();
  }
  // Selects all matching users, page by page.
  async #selectAll() {
    const mine = ++this.#readings;
    /** @type {Record<string, string> | undefined} */
    let at = { page: "1" };
    try {
      while (at && this.#users.size < mostSelected) {
        const response = await this.read({ limit: String(Math.min(1000, maxLimit)), ...at });
        if (mine !== this.#readings) return;
        this.set(response.data, true);
        at = nextPage(response);
      }
    } catch (error) {
      tell(problemOf(error).message);
    }
  }

  #paint() {
    const { size } = this.#users;
    const { head } = this;
    const picked = this.#rows.filter(({ user, pick }) => pick && (pick.checked = this.#users.has(user.id))).length;
    head.checked = picked > 0 && picked === this.#rows.length;
    head.indeterminate = picked > 0 && !head.checked;
    const isFull = size >= mostSelected;
    const text = size ? joined([counted("selected", size), isFull && t("mostSelected", { count: mostSelected })], ". ") : "";
    // Screen readers miss text that appears together with its region, so another region announces it.
    if (this.#count.textContent !== text) this.announce((this.#count.textContent = text));
    const hadFocus = this.#all === document.activeElement;
    this.#all.hidden = isFull || !head.checked || size >= this.#total;
    this.#all.textContent = t("selectAll", { count: this.#total });
    this.#showBar(size > 0 && mayChange());
    if (hadFocus && this.#all.hidden) this.#count.focus();
  }
  /**
   * Shows or hides the bar. Keeps the rows in place, so the next click hits the intended row.
   * @param {boolean} isShown
   */
  #showBar(isShown) {
    if (this.node.hidden !== isShown) return;
    const row = this.#rows[0]?.node;
    const before = row?.getBoundingClientRect().top ?? 0;
    this.node.hidden = !isShown;
    if (row) scrollBy(0, row.getBoundingClientRect().top - before);
  }
}
