// Requests.

// Returns the key of a message of the service, which may be in either language.
const keyOf = (said) => Object.keys(texts).find((key) => /^[A-Z]/.test(key) && texts[key][0] === said) ?? said;
class Problem extends Error {
  constructor(status, told) {
    // A 503 without an envelope may come from a proxy.
    const said = keyOf(told ?? (status === 503 ? "Servicio no disponible temporalmente" : undefined));
    super(said && texts[said] ? t(said) : column === 1 && said ? said : status === 0 ? t("unreachable") : t("failed", { status }));
    this.status = status;
    this.said = said;
  }
}
async function send(method, url, { body, tag, signal } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (tag) headers["If-Match"] = tag;
  let reply;
  try {
    reply = await fetch(url, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin", cache: "no-store", redirect: "error" });
    const content = await reply.json().catch((error) => {
      if (!(error instanceof SyntaxError)) throw error;
      return null;
    });
    return { status: reply.status, content, headers: reply.headers };
  } catch {
    signal?.throwIfAborted();
    throw new Problem(0);
  }
}
// The base address may be the root.
const addressOf = (path) => `${service.base}${path}`.replace(/^(?!\/)/, "/");
// Sends a request to the service. Returns the envelope.
async function call(method, path, options) {
  const asking = caller;
  const { status, content, headers } = await send(method, addressOf(path), options);
  // Discard the reply if the caller has signed out in the meantime.
  if (asking !== caller) throw new Problem(401, "No autorizado");
  if (status === 401) {
    keepDraft();
    enter(t("sessionOver"));
    throw new Problem(status, "No autorizado");
  }
  // The list still shows a user or session that has been deleted.
  if (status === 404 && dialogs().length) list?.refresh();
  if (method !== "GET") isStillAccepted = headers.has("Warning");
  if (status !== 200 || !content?.success) throw new Problem(status, content?.error);
  if (method === "GET") noteCopy(/^110 .* (\S+)"$/.exec(headers.get("Warning") ?? "")?.[1]);
  // The service sends strong tags only. A compressing proxy makes them weak, and a weak tag never matches If-Match.
  const cursorTo = (relation) => new RegExp(`cursor=(\\w+)>; rel="${relation}"`).exec(headers.get("Link") ?? "")?.[1];
  return { ...content, next: cursorTo("next"), previous: cursorTo("prev"), tag: headers.get("ETag")?.replace(/^W\//, ""), total: Number(headers.get("X-Total-Count") ?? content.pagination?.total) };
}
const pathOf = (user) => `/${encodeURIComponent(user.id)}`;
