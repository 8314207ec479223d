// The list.

const sorts = ["createdAt desc", "createdAt asc", "updatedAt desc", "name asc", "name desc", "email asc", "email desc"];
const empty = { search: "", role: "", banned: "", emailVerified: "", sort: sorts[0], limit: String(limits[0]), page: "1" };

function makeList() {
  // Returns the state in the address.
  function stated() {
    const state = { ...empty };
    for (const [key, value] of fragment()) if (key in empty) state[key] = value;
    if (!/^[1-9]\d{0,8}$/.test(state.page)) state.page = empty.page;
    return state;
  }
  const query = stated();

  const search = h("input", { type: "search", id: newId(), autocomplete: "off", spellcheck: "false", maxlength: 200, value: query.search });
  const choose = (key, node) => {
    node.value = query[key];
    if (node.selectedIndex < 0) node.value = query[key] = empty[key];
  };
  const choice = (key, options) => {
    const node = select(options, query[key], { id: newId(), onchange: () => change({ [key]: node.value }) });
    choose(key, node);
    return node;
  };
  const controls = {
    role: choice("role", [["", t("all")], ...roles("user")]),
    banned: choice("banned", [["", t("all")], ["true", t("hasBan")], ["false", t("notBanned")]]),
    emailVerified: choice("emailVerified", [["", t("all")], ["true", t("yes")], ["false", t("no")]]),
    sort: choice("sort", sorts.map((each) => [each, t(each)])),
    limit: choice("limit", limits.map((each) => [String(each), String(each)])),
  };
  const labelled = (label, node) => h("div", null, h("label", { for: node.id }, label), node);

  const sortable = (key, text) => {
    const toggle = () => change({ sort: query.sort === `${key} asc` ? `${key} desc` : query.sort === `${key} desc` ? `${key} asc` : key === "name" ? "name asc" : `${key} desc` });
    return h("th", { scope: "col", role: "columnheader", "data-key": key }, h("button", { type: "button", onclick: toggle }, text, icon("down")));
  };
  const heads = [sortable("name", t("user")), h("th", { scope: "col", role: "columnheader" }, t("role")), h("th", { scope: "col", role: "columnheader" }, t("status")), sortable("createdAt", t("created"))];
  const rows = h("tbody", { role: "rowgroup" });
  const table = h("table", { role: "table", "aria-label": t("title") },
    h("colgroup", null, h("col", { class: "wide" }), h("col"), h("col"), h("col")),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)), rows);
  const said = h("p", { class: "hidden", role: "status" });
  const range = h("span", { class: "range muted" });
  // The cursors of the adjacent pages. Unlike page numbers, they cost the same at any depth.
  let cursors = {};
  const previous = button(t("previous"), () => change({ page: String(Number(query.page) - 1) }, { focus: previous, cursor: cursors.previous }));
  const next = button(t("next"), () => change({ page: String(Number(query.page) + 1) }, { focus: next, cursor: cursors.next }));
  const waiting = h("p", { class: "none" }, t("loading"));
  const foot = h("nav", { class: "foot", hidden: true, "aria-label": t("pages") });
  const none = h("div", { class: "none", hidden: true }, h("p", null, t("noneFound")), button(t("clear"), () => change(empty, { focus: search })));
  const problem = h("div", { class: "notice bad", role: "alert" });
  const region = h("div", { class: "region" }, table);

  const total = h("span", { class: "number" }, "…");
  const totalKey = isSuper() ? "total" : "totalOfAdmin";
  const totalLabel = h("span", { class: "muted" }, t(totalKey));
  const counts = h("div", { class: "counts" });
  const chart = h("figure", { class: "card chart" });
  const summary = h("div", { class: "summary" }, h("div", { class: "card total" }, total, totalLabel, counts), chart);

  let running = null;
  let timer = 0;

  function change(values, { focus, cursor, isNew = true, kind = null } = {}) {
    if (toast.querySelector("button")) toast.replaceChildren();
    Object.assign(query, { page: "1" }, values);
    for (const [key, node] of Object.entries(controls)) choose(key, node);
    // Keep a trailing space that the user has just typed.
    if (values.search !== undefined && search.value.trim() !== query.search) search.value = query.search;
    writeAddress(isNew, kind);
    return refreshRows(focus, cursor);
  }
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => change({ search: search.value.trim() }, { isNew: history.state !== "typed", kind: "typed" }), 180);
  });
  // The next search is another entry of the history.
  search.addEventListener("change", () => history.state === "typed" && history.replaceState(null, ""));

  // Returns the user whose id is searched for, without filters, or nobody.
  async function withId(signal) {
    if (!/^[\w-]{6,}$/.test(query.search) || query.role || query.banned || query.emailVerified) return [];
    const { status, content } = await send("GET", addressOf(pathOf({ id: query.search })), { signal });
    return status === 200 && content?.success ? [content.data] : [];
  }
  async function refreshRows(focus, cursor) {
    clearTimeout(timer);
    cursors = {};
    running?.abort();
    const mine = (running = new AbortController());
    region.setAttribute("aria-busy", "true");
    const [sort, order] = query.sort.split(" ");
    const parameters = new URLSearchParams({ match: "all", page: query.page, limit: query.limit, sort, order });
    for (const key of ["search", "banned", "emailVerified"]) if (query[key]) parameters.set(key, query[key]);
    if (query.role && isSuper()) parameters.set("role", query.role);
    if (cursor) parameters.set("cursor", cursor);
    try {
      const reply = await call("GET", `?${parameters}`, { signal: mine.signal });
      if (mine !== running) return;
      const found = reply.total ? [] : await withId(mine.signal);
      if (mine !== running) return;
      problem.replaceChildren();
      cursors = reply;
      const { page, limit, totalPages } = reply.pagination;
      // The page is empty now. Always go back at least one page, because the total may be outdated.
      if (!reply.data.length && page > 1 && reply.total > 0) return change({ page: String(Math.min(totalPages, page - 1)) }, { focus, isNew: false });
      const users = [...reply.data, ...found];
      const total = reply.total + found.length;
      paint(users);
      none.hidden = users.length > 0;
      const from = (page - 1) * limit + 1;
      range.textContent = users.length ? t("range", { from: number.format(from), to: number.format(from + users.length - 1), total: number.format(total) }) : "";
      said.textContent = counted("found", total);
      previous.disabled = page <= 1;
      next.disabled = page >= totalPages;
      if (focus?.disabled) (focus === next ? previous : next).focus();
      else focus?.focus();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof Problem)) throw error;
      if (mine === running) fail(error, focus);
    } finally {
      if (mine === running) {
        region.removeAttribute("aria-busy");
        waiting.hidden = true;
        foot.hidden = false;
      }
    }
  }

  // Removes the rows, because they are not those that were asked for.
  function fail(error, focus) {
    const again = button(t("reload"), () => refreshRows(search));
    const hadFocus = focus?.disabled === false || rows.contains(document.activeElement) || problem.contains(document.activeElement);
    rows.replaceChildren();
    range.textContent = said.textContent = "";
    previous.disabled = next.disabled = none.hidden = true;
    problem.replaceChildren(error.message, again);
    if (hadFocus) again.focus();
  }

  function paint(users) {
    const focused = document.activeElement?.dataset?.user;
    for (const head of heads) {
      const [key, order] = query.sort.split(" ");
      if (head.dataset.key === key) head.setAttribute("aria-sort", order === "asc" ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
    rows.replaceChildren(...users.map((user) => {
      const open = h("button", { type: "button", "data-user": user.id }, nameOf(user));
      const row = h("tr", { role: "row", onclick: (event) => {
        if (getSelection().toString() && event.target !== open) return;
        open.focus();
        showUser(user.id, { known: user });
      } },
      h("td", { role: "cell" }, h("div", { class: "person" }, avatar(user), h("span", null, open, h("span", { class: "muted small" }, brief(user.email))))),
      h("td", { role: "cell" }, rolePill(user.role)),
      h("td", { role: "cell" }, statusPills(user)),
      h("td", { role: "cell", class: "muted" }, time(user.createdAt, dayFormat)));
      return row;
    }));
    if (focused && !document.querySelector("dialog[open]")) rows.querySelector(`[data-user="${CSS.escape(focused)}"]`)?.focus();
  }

  const count = async (parameters = {}) => (await call("GET", `?${new URLSearchParams({ match: "all", limit: "1", ...parameters })}`)).total;
  const countButtons = [["bannedCount", { banned: "true" }, "banned"], ["unverifiedCount", { emailVerified: "false" }, "unverified"]]
    .map(([key, values, name]) => [key, button(counted(key, null), () => change({ ...empty, ...values })), name]);
  counts.append(...countButtons.map(([, node]) => node));
  drawChart(startsOfDays(), null);
  let summaries = 0;
  // Returns the beginnings of the last days and of tomorrow.
  function startsOfDays() {
    const today = new Date();
    return Array.from({ length: days + 1 }, (_, index) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1 + index));
  }
  // Without UserAdminExtras, each count is a request.
  async function countAll() {
    const [total, banned, unverified] = await Promise.all([count(), count({ banned: "true" }), count({ emailVerified: "false" })]);
    return { total, banned, unverified };
  }
  async function countDays(starts) {
    const counts = [];
    // Send only a few requests at a time, to limit the load on the service.
    for (let day = 0; day < days; day += 4)
      counts.push(...await Promise.all(starts.slice(day, Math.min(day + 4, days)).map((start, index) =>
        count({ createdAfter: new Date(start - 1).toISOString(), createdBefore: starts[day + index + 1].toISOString() }))));
    return counts;
  }
  async function refreshSummary() {
    const mine = ++summaries;
    let place = counts;
    try {
      const starts = startsOfDays();
      const summary = hasExtras
        ? (await call("GET", `?${new URLSearchParams({ limit: "1", summary: starts.map((each) => each.toISOString()).join() })}`)).summary
        : await countAll();
      if (mine !== summaries) return;
      total.textContent = number.format(summary.total);
      totalLabel.textContent = counted(totalKey, summary.total);
      for (const [key, node, name] of countButtons) node.textContent = counted(key, summary[name]);
      if (!counts.contains(countButtons[0][1])) counts.replaceChildren(...countButtons.map(([, node]) => node));
      place = chart;
      const created = summary.created ?? (await countDays(starts));
      if (mine === summaries) drawChart(starts, created);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (mine !== summaries) return;
      if (place === counts) total.textContent = "–";
      chart.replaceChildren();
      place.replaceChildren(h("p", { class: "muted small" }, error.message), button(t("reload"), () => refreshSummary().then(() => counts.querySelector("button").focus())));
    }
  }
  // Draws the counts, or the empty chart while they are read.
  function drawChart(starts, read) {
    const height = 60;
    const counts = read ?? Array(days).fill(0);
    const most = Math.max(...counts, 1);
    const told = counts.map((each, day) => `${shortDay.format(starts[day])}: ${number.format(each)}`);
    const bars = counts.map((each, day) => {
      const size = each ? Math.max(3, (each / most) * height) : 2;
      return s("rect", { x: `${(day * 100) / days + 0.6}%`, width: `${100 / days - 1.2}%`, y: height - size, height: size, rx: 2, class: each ? (day === days - 1 ? "today" : "") : "none" }, s("title", null, told[day]));
    });
    chart.replaceChildren(
      h("header", null, h("h2", { class: "small" }, t("newByDay")), h("span", { class: "muted small" }, t("newInDays", { count: read ? number.format(counts.reduce((sum, each) => sum + each, 0)) : "…", days }))),
      s("svg", { role: "img", "aria-label": read ? `${t("newByDay")}. ${told.join("; ")}` : t("loading") }, bars),
      h("div", { class: "axis muted small", "aria-hidden": "true" }, h("span", null, shortDay.format(starts[0])), h("span", null, shortDay.format(starts[days - 1]))));
  }

  const nodes = [copyNotice, summary,
    h("div", { class: "card list" },
      h("div", { class: "tools" },
        h("div", { class: "search" }, h("label", { for: search.id }, t("search")), icon("search"), search),
        isSuper() && labelled(t("role"), controls.role), labelled(t("status"), controls.banned), labelled(t("verification"), controls.emailVerified), labelled(t("sort"), controls.sort),
        h("button", { type: "button", class: "main change", onclick: () => createUser() }, icon("plus"), t("newUser"))),
      problem, said, region, waiting, none,
      fill(foot, null, [range, h("label", null, t("perPage"), controls.limit), previous, next]))];
  return {
    nodes,
    state: () => Object.entries(query).filter(([key, value]) => value !== empty[key]),
    follow: () => {
      const before = JSON.stringify(query);
      Object.assign(query, stated());
      for (const [key, node] of Object.entries(controls)) choose(key, node);
      if (JSON.stringify(query) === before) return;
      search.value = query.search;
      refreshRows();
    },
    refresh: ({ changesCounts = true } = {}) => {
      refreshRows();
      if (changesCounts) refreshSummary();
    },
  };
}
