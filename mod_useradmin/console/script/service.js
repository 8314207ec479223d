// Requests to the service. The types come from its OpenAPI document.

/** @typedef {import("./openapi").components["schemas"]["User"]} User */
/**
 * The caller's own user, which may have been deleted.
 * @typedef {Pick<User, "id" | "name" | "email" | "role"> & Partial<User>} OwnUser
 */
/** @typedef {import("./openapi").components["schemas"]["Session"]} Session */
/** @typedef {import("./openapi").components["schemas"]["SignInMethod"]} SignInMethod */
/** @typedef {import("./openapi").components["schemas"]["Event"]} AuditEvent */
/** @typedef {import("./openapi").components["schemas"]["Summary"]} Totals */
/** @typedef {import("./openapi").operations} Operations */
/**
 * A successful response, with the values of its headers.
 * @template {keyof Operations} Name
 * @typedef {(Operations[Name] extends { responses: { 200: { content: { "application/json": infer Content } } } } ? Content : never) & { next?: string, previous?: string, hasNext: boolean, tag?: string, total: number }} ResponseOf
 */
/**
 * @template {keyof Operations} Name
 * @typedef {Operations[Name] extends { requestBody?: { content: { "application/json": infer Content } } } ? Content : never} RequestBody
 */
/**
 * An extra column of the user table.
 * @typedef {{ name: string, type: "text" | "integer" | "boolean" | "time" | "any", nullable: boolean, editable: boolean }} ExtraColumn
 */
/**
 * The signed-in user, and the service's settings for the user's role.
 * @typedef {{ id: string, role: string, rank?: boolean, protectedEmail?: string, lowersEmail?: boolean, columns?: ExtraColumn[] }} Caller
 */
/** @typedef {{ body?: unknown, tag?: string, signal?: AbortSignal }} Options */

/** @type {Caller | null} */
let caller = null;
// Whether the last change has not reached the application's secondary storage.
let isStillAccepted = false;
// Whether the service reads a read-only copy of the database.
let isCopy = false;
/**
 * Callbacks for responses that affect the whole page. main.js sets them. copyIsFrom is called with the time of the last change
 * that the read-only copy has received, or undefined if the database is not a copy.
 * @type {{ sessionEnded: () => void, forbidden: () => void, notFound: () => void, copyIsFrom: (time?: string) => void, selfChanged: (user: User, isOtherRole: boolean) => void }}
 */
let listener;

/**
 * Returns the key of a message from the service (in English or Spanish), or undefined if there is none.
 * @param {string} [message]
 */
const keyOf = (message) => /** @type {TextKey[]} */ (Object.keys(texts)).find((key) => key === message || texts[key][0] === message);
class Problem extends Error {
  /**
   * @param {number} status
   * @param {string} [message] the service's message
   * @param {string | null} [wait] the value of Retry-After
   */
  constructor(status, message, wait) {
    const byStatus = `status.${status}`;
    const key = keyOf(message) ?? (isText(byStatus) ? byStatus : "failed");
    super(t(key, { status }));
    this.status = status;
    this.key = key;
    this.wait = Number(wait) || 1;
  }
}
/**
 * Returns the error if it is a Problem. Otherwise throws it.
 * @param {unknown} error
 */
function problemOf(error) {
  if (!(error instanceof Problem)) throw error;
  return error;
}
/**
 * Sends a request. If there is no response, the status is 0.
 * @param {string} method
 * @param {string} url
 * @param {Options} options
 */
async function send(method, url, { body, tag, signal } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (tag) headers["If-Match"] = tag;
  try {
    const response = await fetch(url, { method, headers, signal, body: JSON.stringify(body), cache: "no-store", redirect: "error" });
    const content = await response.json().catch((error) => {
      if (!(error instanceof SyntaxError)) throw error;
      return null;
    });
    return { status: response.status, content, headers: response.headers };
  } catch {
    signal?.throwIfAborted();
    return { status: 0, content: null, headers: new Headers() };
  }
}
/**
 * Returns the URL of a path in the service, whose base address may be the root.
 * @param {string} path
 */
const addressOf = (path) => `${service.base}${path}`.replace(/^(?!\/)/, "/");
/**
 * Sends a request to the service. Resolves to the JSON body, with the values of the headers added.
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 */
async function call(method, path, options) {
  const asking = caller;
  const { status, content, headers } = await send(method, addressOf(path), options);
  // Discard the response if the caller has signed out in the meantime.
  if (asking !== caller) throw new Problem(401);
  if (status === 401) {
    listener.sessionEnded();
    throw new Problem(status);
  }
  if (status === 403) listener.forbidden();
  if (status === 404) listener.notFound();
  if (method !== "GET") isStillAccepted = headers.has("Warning");
  // A proxy returns 502 or 504 if it has lost the connection to the service.
  const isUnknown = method !== "GET" && (status === 0 || status === 502 || status === 504);
  if (status !== 200 || !content?.success) throw new Problem(status, isUnknown ? "unknownOutcome" : content?.error, headers.get("Retry-After"));
  // The history comes from the audit log, not from the database.
  if (method === "GET" && !path.includes("/events")) listener.copyIsFrom(/^110 .* (\S+)"$/.exec(headers.get("Warning") ?? "")?.[1]);
  const links = headers.get("Link");
  /** @param {string} relation */
  const cursorTo = (relation) => new RegExp(`cursor=(\\w+)>; rel="${relation}"`).exec(links ?? "")?.[1];
  const hasNext = links ? links.includes('rel="next"') : content.pagination?.page < content.pagination?.totalPages;
  // The service sends strong tags only. A compressing proxy makes them weak, and a weak tag never matches If-Match.
  return { ...content, next: cursorTo("next"), previous: cursorTo("prev"), hasNext, tag: headers.get("ETag")?.replace(/^W\//, ""), total: Number(headers.get("X-Total-Count") ?? content.pagination?.total) };
}
/**
 * Awaits a request that removes something. Status 404 is treated as success.
 * @template Sent
 * @param {Promise<Sent>} request
 */
const removal = (request) => request.catch((error) => {
  if (problemOf(error).status !== 404) throw error;
});
/** @param {{ id: string }} user */
const pathOf = (user) => `/${encodeURIComponent(user.id)}`;
/** @type {(parameters: Record<string, string>, signal?: AbortSignal) => Promise<ResponseOf<"list">>} */
const readList = (parameters, signal) => call("GET", `?${new URLSearchParams(parameters)}`, { signal });
/**
 * Returns the parameters of the page after the response, or undefined if the response is the last page. If the cursor
 * would be too long, the parameters contain a page number.
 * @param {ResponseOf<"list">} response
 * @returns {Record<string, string> | undefined}
 */
const nextPage = ({ next, hasNext, pagination: { page } }) => (hasNext ? { page: String(page + 1), ...(next ? { cursor: next } : {}) } : undefined);
const extraColumns = () => caller?.columns ?? [];
/**
 * Returns the query parameter for the extra columns, if there are any.
 * @param {ExtraColumn[]} columns
 * @returns {Record<string, string>}
 */
const columnsParameter = (columns) => (columns.length ? { columns: columns.map(({ name }) => name).join() } : {});
/** @param {{ id: string }} user */
const pathWithColumns = (user) => `${pathOf(user)}?${new URLSearchParams(columnsParameter(extraColumns()))}`.replace(/\?$/, "");
/** @type {(user: { id: string }) => Promise<ResponseOf<"get">>} */
const readUser = (user) => call("GET", pathWithColumns(user));
/** @type {(user: { id: string }) => Promise<ResponseOf<"list-sessions">>} */
const readSessions = (user) => call("GET", `${pathOf(user)}/sessions`);
/** @type {(user: { id: string }) => Promise<ResponseOf<"list-sign-in-methods">>} */
const readMethods = (user) => call("GET", `${pathOf(user)}/sign-in-methods`);
/** @type {(user: { id: string }, before?: number) => Promise<ResponseOf<"list-events">>} */
const readEvents = (user, before) => call("GET", `${pathOf(user)}/events${before === undefined ? "" : `?before=${before}`}`);

const isSuper = () => caller?.role === "superAdmin";
/** @param {{ id: string }} user */
const isSelf = (user) => user.id === caller?.id;
const mayChange = () => !isCopy && isSuper();
/** @param {User} user */
const mayEdit = (user) => !isCopy && (isSuper() || (caller?.role === "admin" && (!caller.rank || user.role === "user")));
/** @param {string} [email] */
const asCompared = (email) => (caller?.lowersEmail ? email?.toLowerCase() : email);
/** @param {User} user */
const isProtected = (user) => isSuper() && asCompared(user.email) === asCompared(caller?.protectedEmail);
/** @param {User} user */
const mayDelete = (user) => mayChange() && !isSelf(user) && !isProtected(user);
