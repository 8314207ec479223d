// Saves the users of the list as a CSV file.

/** @param {unknown} value */
function csvCell(value) {
  const text = plainText(value ?? "");
  // Spreadsheets evaluate cells that look like formulas. In some locales, they also split cells at semicolons and line breaks.
  // A negative integer is no formula. The service sends large ones as text.
  const safe = typeof value === "number" || /^-\d+$/.test(text) ? text : text.replace(/(?:^|[;\t\r\n])"*(?=[=+\-@＝＋－＠])/g, "$&'").replace(/^[\t\r\n]/, "'$&");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
/** @param {unknown[]} values */
const csvLine = (values) => `${values.map(csvCell).join(",")}\r\n`;

class CsvExport {
  /** @type {string[]} */
  #parts = [];
  /** @type {(keyof User)[]} */
  #columns = [];
  /** @type {Record<string, string> | undefined} */
  #at = { page: "1" };
  #count = 0;
  #stopped = new AbortController();
  #bar = h("progress", { "aria-label": t("saveCsv"), max: 1, value: 0 });
  #status = h("p", { class: "muted" });

  /** @param {Record<string, string>} parameters the list's parameters */
  constructor(parameters) {
    this.parameters = parameters;
    this.frame = dialog(t("saveCsv"));
    this.frame.content.append(this.#bar, this.#status, actions(button(t("cancel"), this.frame.leave)));
    this.frame.node.addEventListener("close", () => this.#stopped.abort());
  }

  // Reads and saves the list. If called again after an error, resumes where it stopped.
  async run() {
    this.frame.notice.replaceChildren();
    try {
      while (this.#at) this.#take(await readList({ ...this.parameters, limit: String(maxLimit), ...this.#at }, this.#stopped.signal));
      this.#save();
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      const again = button(t("reload"), () => this.run());
      this.frame.notice.replaceChildren(problemOf(error).message, again);
      again.focus();
    }
  }

  /** @param {ResponseOf<"list">} response */
  #take(response) {
    const { data, total } = response;
    if (!this.#columns.length) {
      this.#columns = /** @type {(keyof User)[]} */ (Object.keys(data[0] ?? {}));
      // Spreadsheets recognize UTF-8 by the byte order mark.
      this.#parts.push("\ufeff", csvLine(this.#columns));
    }
    this.#parts.push(...data.map((user) => csvLine(this.#columns.map((column) => user[column]))));
    this.#count += data.length;
    this.#at = nextPage(response);
    this.#bar.value = total ? this.#count / total : 1;
    this.#status.textContent = t("progress", { done: this.#count, total });
  }

  #save() {
    const address = URL.createObjectURL(new Blob(this.#parts, { type: "text/csv" }));
    h("a", { href: address, download: `users-${dayOf(new Date())}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    this.frame.close();
    tell(counted("csvSaved", this.#count));
  }
}
