// TanStack Query over the recipe's typed client.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { createRoot } from "react-dom/client";

import { type Filters, useChangesOf, useUser, useUsers } from "../../../conf/recipes/tanstack-query";
import { Editor, Listing } from "./page";

const UserEditor = ({ id, close }: { id: string; close: () => void }) => {
  const { data } = useUser(id);
  const { update, remove } = useChangesOf(id, data?.version);
  return (
    data && (
      <Editor
        person={data.user}
        save={(changes) => update.mutateAsync(changes)}
        remove={() => remove.mutateAsync()}
        close={close}
      />
    )
  );
};

const Users = () => {
  const [chosen, choose] = useState<string>();
  const first: Filters = { limit: 5, match: "all", sort: "name" };
  const [query, ask] = useState(first);
  const { data } = useUsers(query);
  const turnTo = (page: Filters) => page && (() => ask(page));
  return (
    <>
      <Listing
        people={data?.data ?? []}
        total={data?.pagination.total ?? 0}
        page={data?.pagination.page ?? 1}
        pages={data?.pagination.totalPages ?? 0}
        previous={turnTo(data?.previous)}
        next={turnTo(data?.next)}
        search={(search) => ask({ ...first, search })}
        choose={choose}
      />
      {chosen !== undefined && <UserEditor key={chosen} id={chosen} close={() => choose(undefined)} />}
    </>
  );
};

createRoot(document.getElementById("root")!).render(
  <QueryClientProvider client={new QueryClient()}>
    <Users />
  </QueryClientProvider>,
);
