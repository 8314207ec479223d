// All functions of better-auth's admin client, with the library's own types.
import type { createAuthClient } from "better-auth/client";
import type { adminClient } from "better-auth/client/plugins";

type Client = ReturnType<typeof createAuthClient<{ plugins: [ReturnType<typeof adminClient<{}>>] }>>;

const dataOf = <Data>({ data, error }: { data: Data; error: unknown }) => {
  if (data === null) throw new Error(JSON.stringify(error));
  return data as NonNullable<Data>;
};

/** Signs a new user in and returns its id; for the sessions that the calls list and end. */
type SignIn = (email: string, password: string) => Promise<unknown>;

/** Makes each call once. Returns the responses by the functions' names. */
export const callAll = async ({ admin }: Client, signIn: SignIn) => {
  const person = { email: `${crypto.randomUUID()}@example.org`, name: "Ana", password: "contraseña larga" };
  const createUser = dataOf(await admin.createUser({ ...person, role: "user", data: { image: "https://example.org/i.png" } }));
  const userId = createUser.user.id;
  const banUser = dataOf(await admin.banUser({ userId, banReason: "spam", banExpiresIn: 3600 }));
  const getUser = dataOf(await admin.getUser({ query: { id: userId } }));
  const query = { limit: 5, sortBy: "createdAt", sortDirection: "desc", searchField: "name", searchValue: "Ana" } as const;
  const listUsers = dataOf(await admin.listUsers({ query }));
  const unbanUser = dataOf(await admin.unbanUser({ userId }));
  const updateUser = dataOf(await admin.updateUser({ userId, data: { name: "Ana B" } }));
  const setRole = dataOf(await admin.setRole({ userId, role: "user" }));
  const newPassword = "contraseña nueva";
  const setUserPassword = dataOf(await admin.setUserPassword({ userId, newPassword }));
  await signIn(person.email, newPassword);
  const listUserSessions = dataOf(await admin.listUserSessions({ userId }));
  const [session] = listUserSessions.sessions;
  const revokeUserSession = dataOf(await admin.revokeUserSession({ sessionToken: session!.token }));
  const revokeUserSessions = dataOf(await admin.revokeUserSessions({ userId }));
  const hasPermission = dataOf(await admin.hasPermission({ permissions: { user: ["list"] } }));
  const impersonateUser = dataOf(await admin.impersonateUser({ userId }));
  const stopImpersonating = dataOf(await admin.stopImpersonating());
  const removeUser = dataOf(await admin.removeUser({ userId }));
  return {
    createUser,
    banUser,
    getUser,
    listUsers,
    unbanUser,
    updateUser,
    setRole,
    setUserPassword,
    listUserSessions,
    revokeUserSession,
    revokeUserSessions,
    hasPermission,
    impersonateUser,
    stopImpersonating,
    removeUser,
  };
};
