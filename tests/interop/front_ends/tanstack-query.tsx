// TanStack Query over the recipe's typed client.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { createRoot } from "react-dom/client";

import { useChangesOf, useUser, useUsers } from "../../../conf/recipes/tanstack-query";
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
  const [page, turnTo] = useState(1);
  const [search, find] = useState("");
  const { data } = useUsers({ page, limit: 5, search, match: "all", sort: "name" });
  return (
    <>
      <Listing
        people={data?.data ?? []}
        total={data?.pagination.total ?? 0}
        page={page}
        pages={data?.pagination.totalPages ?? 0}
        turnTo={turnTo}
        search={(text) => (turnTo(1), find(text))}
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
