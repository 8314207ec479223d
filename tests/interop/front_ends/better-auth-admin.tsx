// An admin page with better-auth's own client for React.
import { adminClient, type UserWithRole } from "better-auth/client/plugins";
import { createAuthClient } from "better-auth/react";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

import { Listing } from "./page";

const { admin, signIn, useSession } = createAuthClient({ plugins: [adminClient()] });

const perPage = 5;

const SignIn = () => (
  <form
    action={async (form) => {
      await signIn.email({ email: String(form.get("email")), password: String(form.get("password")) });
    }}
  >
    <input name="email" aria-label="Email" />
    <input name="password" aria-label="Password" type="password" />
    <button>Sign in</button>
  </form>
);

const Users = () => {
  const [search, searchFor] = useState("");
  const [offset, turnTo] = useState(0);
  const [{ users, total }, show] = useState({ users: [] as UserWithRole[], total: 0 });
  const [chosen, choose] = useState<string>();
  const list = async () => {
    const { data } = await admin.listUsers({
      query: { searchField: "name", searchValue: search, sortBy: "name", limit: perPage, offset },
    });
    if (data) show(data);
  };
  useEffect(() => void list(), [search, offset]);
  const user = users.find(({ id }) => id === chosen);
  return (
    <>
      <Listing
        people={users}
        total={total}
        page={offset / perPage + 1}
        pages={Math.ceil(total / perPage)}
        previous={offset > 0 ? () => turnTo(offset - perPage) : undefined}
        next={offset + perPage < total ? () => turnTo(offset + perPage) : undefined}
        search={(text) => (turnTo(0), searchFor(text))}
        choose={choose}
      />
      {user && (
        <>
          <p>
            {user.name} {user.banned ? `is banned: ${user.banReason}` : `is active since ${user.createdAt.getFullYear()}`}
          </p>
          <button onClick={() => admin.banUser({ userId: user.id, banReason: "spam" }).then(list)}>Ban</button>
          <button onClick={() => admin.impersonateUser({ userId: user.id })}>Impersonate</button>
        </>
      )}
    </>
  );
};

const App = () => {
  const { data } = useSession();
  if (!data) return <SignIn />;
  return (
    <>
      <h1>
        {data.user.email} {data.session.impersonatedBy ? "(impersonated)" : "(signed in)"}
      </h1>
      {data.session.impersonatedBy ? <button onClick={() => admin.stopImpersonating()}>Stop</button> : <Users />}
    </>
  );
};

createRoot(document.getElementById("root")!).render(<App />);
