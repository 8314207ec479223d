// What all pages share. The address has ?api=ORIGIN, and after "#" the pages to go to next, one after the other.
const api = new URLSearchParams(location.search).get("api");
const json = { "Content-Type": "application/json" };

/** Tells the test, by a line in the server's log: what was tried, and the status or what the browser made of it. */
const report = (page, what, outcome) =>
  fetch(`/report/${page}/${encodeURIComponent(what.replaceAll("/", "-"))}/${outcome}`);

/** Runs a page's checks, each of which sends one request, and goes on to the next page. */
const run = async (page, checks) => {
  await checks(async (what, send) => {
    let outcome = "refused";
    let response;
    try {
      response = await send();
      outcome = response.type === "opaque" ? "opaque" : response.status;
    } catch {
      // The browser does not let the page read it, or did not even send it.
    }
    await report(page, what, outcome);
    return response;
  }).catch((failure) => report(page, `${failure}`, "failed"));
  const [next, ...rest] = location.hash.slice(1).split(",");
  if (next) location.href = `${decodeURIComponent(next)}#${rest.join(",")}`;
  else await report("all", "pages", "done");
};
