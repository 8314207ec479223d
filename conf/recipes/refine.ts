// refine: <Refine dataProvider={users("/api")} resources={[{ name: "users" }]}>…</Refine>
import type { DataProvider, HttpError } from "@refinedev/core";

const versions = new Map(); // ETag of each user that was read, for If-Match

const ask = async (url: string, method = "GET", body?: object, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const envelope = await response.json();
  if (!envelope.success) throw { message: envelope.error, statusCode: response.status } satisfies HttpError;
  // A compressing proxy makes the ETag weak, and a weak ETag never matches If-Match.
  if (response.headers.has("ETag")) versions.set(envelope.data.id, response.headers.get("ETag")!.replace(/^W\//, ""));
  envelope.link = response.headers.get("Link") ?? "";
  return envelope;
};

const cursors = new Map<string, string>(); // cursors of the next and previous page, by URL

// Uses cursors if known: a page read by cursor costs as much as the first page, at any depth.
const askPage = async (path: string, query: URLSearchParams) => {
  const page = Number(query.get("page"));
  const addressOf = (number: number) => {
    query.set("page", String(number));
    return `${path}?${query}`;
  };
  const address = addressOf(page);
  const envelope = await ask(cursors.has(address) ? `${address}&cursor=${cursors.get(address)}` : address);
  cursors.clear();
  for (const [relation, number] of [["next", page + 1], ["prev", page - 1]] as const) {
    const cursor = new RegExp(`cursor=(\\w+)>; rel="${relation}"`).exec(envelope.link)?.[1];
    if (cursor) cursors.set(addressOf(number), cursor);
  }
  return envelope;
};

export const users = (api: string): DataProvider => {
  const at = (resource: string, id?: unknown) =>
    `${api}/${resource}${id === undefined ? "" : `/${encodeURIComponent(String(id))}`}`;
  const meant = (id: unknown) => (versions.has(id) ? { "If-Match": versions.get(id) } : undefined);
  return {
    getApiUrl: () => api,
    async getList({ resource, pagination, sorters, filters = [] }) {
      const query = new URLSearchParams({ match: "all" });
      query.set("page", String(pagination?.currentPage ?? 1));
      query.set("limit", String(pagination?.pageSize ?? 20));
      for (const { field, order } of sorters?.slice(0, 1) ?? []) {
        query.set("sort", field);
        query.set("order", order);
      }
      for (const filter of filters)
        if ("field" in filter && filter.value !== undefined) query.set(filter.field, String(filter.value));
      const { data, pagination: counted } = await askPage(at(resource), query);
      return { data, total: counted.total };
    },
    getOne: ({ resource, id }) => ask(at(resource, id)),
    create: ({ resource, variables }) => ask(at(resource), "POST", variables as object),
    update: ({ resource, id, variables }) => ask(at(resource, id), "PUT", variables as object, meant(id)),
    deleteOne: ({ resource, id }) =>
      ask(at(resource, id), "DELETE", undefined, meant(id)).catch((error) => {
        // The list is read again after the error message, so the next attempt must not use the old version.
        if (error.statusCode === 412) versions.delete(id);
        throw error;
      }),
  };
};
