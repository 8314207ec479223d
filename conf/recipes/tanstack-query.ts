// TanStack Query with a client whose types are generated from the OpenAPI document:
//   openapi-typescript https://app.example.com/api/users/openapi.json --output users.d.ts
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import createClient from "openapi-fetch";

import type { paths } from "./users";

export type Filters = paths["/"]["get"]["parameters"]["query"];
type Changes = paths["/{id}"]["put"]["requestBody"]["content"]["application/json"];
const client = createClient<paths>({ baseUrl: "/api/users" });
client.use({
  onResponse: async ({ response }) => {
    if (response.ok) return;
    const { error } = await response.json();
    throw Object.assign(new Error(error), { status: response.status });
  },
});

/** A page of users, with the queries for the next and the previous page, if any. */
export const useUsers = (query: Filters) => {
  const queryFn = async () => {
    const { data, response } = await client.GET("/", { params: { query } });
    const queryOf = (relation: string): Filters => {
      const [, link] = new RegExp(`\\?([^>]*)>; rel="${relation}"`).exec(response.headers.get("Link") ?? "") ?? [];
      return link === undefined ? undefined : Object.fromEntries<any>(new URLSearchParams(link));
    };
    return { ...data!, next: queryOf("next"), previous: queryOf("prev") };
  };
  return useQuery({ queryKey: ["users", query], queryFn, placeholderData: keepPreviousData });
};

// A compressing proxy makes the ETag weak, and a weak ETag never matches If-Match.
const versionOf = (response: Response) => response.headers.get("ETag")?.replace(/^W\//, "");

/** The user, and the version (ETag) of its row, for If-Match. */
export const useUser = (id: string) =>
  useQuery({
    // Never refetched while a form is open, so that the data and the version match.
    queryKey: ["user", id],
    staleTime: Infinity,
    gcTime: 0,
    queryFn: async () => {
      const { data, response } = await client.GET("/{id}", { params: { path: { id } } });
      return { user: data!.data, version: versionOf(response) };
    },
  });

export const useChangesOf = (id: string, version?: string) => {
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: ["users"] });
  const params = { path: { id }, header: { "If-Match": version } };
  return {
    /** Keeps the new version for the next change. Status 412 means that somebody else has changed the user. */
    update: useMutation({
      mutationFn: async (body: Changes) => {
        const { data, response } = await client.PUT("/{id}", { params, body });
        queries.setQueryData(["user", id], { user: data!.data, version: versionOf(response) });
      },
      onSettled,
    }),
    remove: useMutation({ mutationFn: () => client.DELETE("/{id}", { params }), onSettled }),
  };
};
