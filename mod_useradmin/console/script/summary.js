// The counts above the list, and the chart of new users.

// Returns the start of each day in the chart, and of tomorrow.
function startsOfDays() {
  const today = new Date();
  return Array.from({ length: days + 1 }, (_, index) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1 + index));
}
/** @param {Date} time */
const dayOf = (time) => localTime(time).slice(0, 10);
/**
 * Returns the chart of the counts. While they are being read, the chart is empty.
 * @param {Date[]} starts
 * @param {number[] | null} read
 * @param {(start: Date) => unknown} choose is called with the day whose bar, or the space above it, was clicked
 */
function chartOf(starts, read, choose) {
  const height = 60;
  const counts = read ?? Array(days).fill(0);
  const most = Math.max(...counts, 1);
  const labels = counts.map((each, day) => `${shortDay.format(starts[day])}: ${number.format(each)}`);
  /** @param {MouseEvent} event */
  const onclick = ({ clientX, currentTarget }) => {
    const { left, width } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
    choose(starts[Math.floor(((clientX - left) * days) / width)]);
  };
  const bars = counts.map((each, day) => {
    const size = each ? Math.max(3, (each / most) * height) : 2;
    return s("rect", { x: `${(day * 100) / days + 0.6}%`, width: `${100 / days - 1.2}%`, y: height - size, height: size, rx: 2, class: each ? (day === days - 1 ? "today" : "") : "none" }, s("title", null, labels[day]));
  });
  return [
    h("header", null, h("h2", { class: "small" }, t("newByDay")), h("span", { class: "muted small" }, t("newInDays", { count: read ? counts.reduce((sum, each) => sum + each, 0) : "…", days }))),
    s("svg", { role: "img", onclick, "aria-label": read ? `${t("newByDay")}. ${labels.join("; ")}` : t("loading") }, bars),
    h("div", { class: "axis muted small", "aria-hidden": "true" }, h("span", null, shortDay.format(starts[0])), h("span", null, shortDay.format(starts[days - 1]))),
  ];
}

class Summary {
  #total = h("span", { class: "number" }, "…");
  /** @type {TextKey} */
  #totalKey = isSuper() ? "total" : "totalOfAdmin";
  #totalLabel = h("span", { class: "muted" }, t(this.#totalKey));
  #counts = h("div", { class: "counts" });
  /** @param {Date} start */
  #choose = (start) => this.filter({ createdFrom: dayOf(start), createdTo: dayOf(start) });
  #chart = h("figure", { class: "card chart" }, chartOf(startsOfDays(), null, this.#choose));
  node = h("div", { class: "summary" }, h("div", { class: "card total" }, this.#total, this.#totalLabel, this.#counts), this.#chart);
  #readings = 0;

  /** @param {(values: Partial<Query>) => unknown} filter sets the list's filters */
  constructor(filter) {
    this.filter = filter;
    this.banned = button(counted("bannedCount", null), () => filter({ banned: "true" }));
    this.unverified = button(counted("unverifiedCount", null), () => filter({ emailVerified: "false" }));
    this.#counts.append(this.banned, this.unverified);
  }

  async refresh() {
    const mine = ++this.#readings;
    try {
      const starts = startsOfDays();
      const { summary } = await readList({ limit: "1", summary: starts.map((each) => each.toISOString()).join() });
      if (mine !== this.#readings || !summary) return;
      this.#paint(summary);
      this.#chart.replaceChildren(...chartOf(starts, summary.created, this.#choose));
    } catch (error) {
      const { message } = problemOf(error);
      if (mine !== this.#readings) return;
      this.#total.textContent = "–";
      this.#chart.replaceChildren();
      this.#counts.replaceChildren(h("p", { class: "muted small" }, message), button(t("reload"), () => this.refresh().then(() => this.#counts.querySelector("button")?.focus())));
    }
  }

  /** @param {Totals} totals */
  #paint({ total, banned, unverified }) {
    this.#total.textContent = number.format(total);
    this.#totalLabel.textContent = counted(this.#totalKey, total);
    this.banned.textContent = counted("bannedCount", banned);
    this.unverified.textContent = counted("unverifiedCount", unverified);
    if (!this.banned.isConnected) this.#counts.replaceChildren(this.banned, this.unverified);
  }
}
