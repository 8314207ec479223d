// refine: <Refine dataProvider={users("/api")} resources={[{ name: "users" }]}>…</Refine>
import type { DataProvider, HttpError } from "@refinedev/core";

const versions = new Map(); // of each user that was read: what is saved is meant for that row

const ask = async (url: string, method = "GET", body?: object, headers: Record<string, string> = {}) => {
  const reply = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const envelope = await reply.json();
  if (!envelope.success) throw { message: envelope.error, statusCode: reply.status } satisfies HttpError;
  if (reply.headers.has("ETag")) versions.set(envelope.data.id, reply.headers.get("ETag"));
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
      const { data, pagination: counted } = await ask(`${at(resource)}?${query}`);
      return { data, total: counted.total };
    },
    getOne: ({ resource, id }) => ask(at(resource, id)),
    create: ({ resource, variables }) => ask(at(resource), "POST", variables as object),
    update: ({ resource, id, variables }) => ask(at(resource, id), "PUT", variables as object, meant(id)),
    deleteOne: ({ resource, id }) => ask(at(resource, id), "DELETE", undefined, meant(id)),
  };
};
