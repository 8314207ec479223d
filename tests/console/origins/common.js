// Shared by all pages. The URL has ?api=ORIGIN.
const api = new URLSearchParams(location.search).get("api");
const json = { "Content-Type": "application/json" };

/** The outcomes of the page's requests, such as "GET 200". The test reads them. */
window.outcomes = [];

/** Runs a page's checks, each of which sends one request. */
const run = async (checks) => {
  await checks(async (what, send) => {
    let outcome = "refused";
    let response;
    try {
      response = await send();
      outcome = response.type === "opaque" ? "opaque" : response.status;
    } catch {
      // The browser blocked the response or the request.
    }
    outcomes.push(`${what} ${outcome}`);
    return response;
  }).catch((failure) => outcomes.push(`${failure}`));
  window.isDone = true;
};
