// A section of the drawer that is loaded only when it is opened.

class Details {
  #readings = 0;

  /**
   * @param {string} title
   * @param {HTMLElement[]} content
   */
  constructor(title, ...content) {
    this.status = h("p", { class: "muted", role: "status" });
    this.node = h("details", { ontoggle: () => this.refresh() }, h("summary", null, h("h3", null, title)), content, this.status);
  }

  refresh() {
    if (this.node.open) return this.load();
  }
  // Loads the section. Subclasses override this.
  async load() {}

  /**
   * Shows the response to a request, or why it failed. Ignores the response if a later request has begun.
   * @template Sent
   * @param {Promise<Sent>} request
   * @param {(response: Sent) => void} show
   */
  async read(request, show) {
    const mine = ++this.#readings;
    this.node.ariaBusy = "true";
    if (!this.node.querySelector("li")) this.status.textContent ||= t("loading");
    try {
      const response = await request;
      if (mine === this.#readings) show(response);
    } catch (error) {
      const { message } = problemOf(error);
      if (mine === this.#readings) this.status.textContent = message;
    } finally {
      if (mine === this.#readings) this.node.ariaBusy = null;
    }
  }
}
