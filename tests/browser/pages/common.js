// Shared by all pages. The URL has ?api=ORIGIN and, after "#", the pages to visit next in order.
const api = new URLSearchParams(location.search).get("api");
const json = { "Content-Type": "application/json" };

/** Reports the outcome of an attempt to the test through the server's log. */
const report = (page, what, outcome) =>
  fetch(`/report/${page}/${encodeURIComponent(what.replaceAll("/", "-"))}/${outcome}`);

/** Runs a page's checks, each of which sends one request. Then goes to the next page. */
const run = async (page, checks) => {
  await checks(async (what, send) => {
    let outcome = "refused";
    let response;
    try {
      response = await send();
      outcome = response.type === "opaque" ? "opaque" : response.status;
    } catch {
      // The browser blocked the response or the request.
    }
    await report(page, what, outcome);
    return response;
  }).catch((failure) => report(page, `${failure}`, "failed"));
  const [next, ...rest] = location.hash.slice(1).split(",");
  if (next) location.href = `${decodeURIComponent(next)}#${rest.join(",")}`;
  else await report("all", "pages", "done");
};
