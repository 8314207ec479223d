// react-admin: <Admin dataProvider={users("/api")}><Resource name="users" list={…} edit={…} /></Admin>
import { type DataProvider, fetchUtils, HttpError } from "react-admin";

const versions = new Map(); // ETag of each user that was read, for If-Match

const ask = async (url: string, method = "GET", body?: object, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const envelope = await response.json();
  if (!envelope.success) throw new HttpError(envelope.error, response.status, envelope);
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
  const at = (resource: string, id: unknown) => `${api}/${resource}/${encodeURIComponent(String(id))}`;
  const meant = (id: unknown) => (versions.has(id) ? { "If-Match": versions.get(id) } : undefined);
  const remove = (resource: string, id: unknown) => ask(at(resource, id), "DELETE", undefined, meant(id)).catch((error) => {
    // The list is read again after the error message, so the next attempt must not use the old version.
    if (error.status === 412) versions.delete(id);
    throw error;
  });
  return {
    async getList(resource, { pagination: { page, perPage } = { page: 1, perPage: 20 }, sort, filter }) {
      const order = { sort: sort?.field, order: sort?.order.toLowerCase() };
      const query = { page, limit: perPage, match: "all", ...order, ...filter };
      const parameters = new URLSearchParams(fetchUtils.queryParameters(query));
      const { data, pagination } = await askPage(`${api}/${resource}`, parameters);
      return { data, total: pagination.total };
    },
    getOne: (resource, { id }) => ask(at(resource, id)),
    // Omits users who have been deleted.
    async getMany(resource, { ids }) {
      const read = (id: unknown) => ask(at(resource, id)).catch((error) => {
        if (error.status !== 404) throw error;
      });
      return { data: (await Promise.all(ids.map(read))).flatMap((response) => response?.data ?? []) };
    },
    create: (resource, { data }) => ask(`${api}/${resource}`, "POST", data),
    // Sends only changed fields: an admin may not send fields that only a superAdmin may change.
    update(resource, { id, data, previousData }) {
      const changes = Object.entries(data).filter(([field, value]) => value !== previousData?.[field]);
      return ask(at(resource, id), "PUT", Object.fromEntries(changes), meant(id));
    },
    delete: (resource, { id, previousData }) => remove(resource, id).then(() => ({ data: previousData as any })),
    deleteMany: (resource, { ids }) => Promise.all(ids.map((id) => remove(resource, id))).then(() => ({ data: ids })),
    getManyReference: () => Promise.reject(new Error("users refer to nothing")),
    updateMany: () => Promise.reject(new Error("users are changed one by one")),
  };
};
