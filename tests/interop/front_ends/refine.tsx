// refine's core over the recipe's data provider, without a component library.
import { Refine, useDelete, useOne, useTable, useUpdate } from "@refinedev/core";
import { useState } from "react";
import { createRoot } from "react-dom/client";

import { users } from "../../../conf/recipes/refine";
import { Editor, Listing } from "./page";

const Users = () => {
  const [chosen, choose] = useState<string>();
  const table = useTable({
    resource: "users",
    pagination: { pageSize: 5 },
    sorters: { initial: [{ field: "name", order: "asc" }] },
    syncWithLocation: false,
  });
  const one = useOne({
    resource: "users",
    id: chosen,
    // Read only when the editor opens: the fields that it shows must match the version that it sends.
    queryOptions: { enabled: chosen !== undefined, staleTime: Infinity, gcTime: 0 },
  });
  const { mutateAsync: update } = useUpdate();
  const { mutateAsync: remove } = useDelete();
  return (
    <>
      <Listing
        people={table.result.data}
        total={table.result.total ?? 0}
        page={table.currentPage}
        pages={table.pageCount}
        previous={table.currentPage > 1 ? () => table.setCurrentPage(table.currentPage - 1) : undefined}
        next={table.currentPage < table.pageCount ? () => table.setCurrentPage(table.currentPage + 1) : undefined}
        search={(text) => table.setFilters([{ field: "search", operator: "contains", value: text }], "replace")}
        choose={choose}
      />
      {chosen !== undefined && one.result && (
        <Editor
          key={chosen}
          person={one.result}
          save={(changes) => update({ resource: "users", id: chosen, values: changes })}
          remove={() => remove({ resource: "users", id: chosen })}
          close={() => choose(undefined)}
        />
      )}
    </>
  );
};

createRoot(document.getElementById("root")!).render(
  <Refine dataProvider={users("/api")} resources={[{ name: "users" }]} options={{ disableTelemetry: true }}>
    <Users />
  </Refine>,
);
