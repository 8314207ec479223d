// For better-auth with a secondaryStorage: within about a second, deletes the sessions that mod_useradmin revokes from this
// storage. Call followRevocations(auth, pool) in each process; it returns a stop function. The pool needs SELECT on
// useradmin_revocation.
import { setTimeout as sleep } from "node:timers/promises";

const query = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS position, user_id, max(created_at) AS any_at,
    max(created_at) FILTER (WHERE session_id IS NULL) AS all_at, array_agg(session_id) AS ids
  FROM (VALUES (1)) AS one LEFT JOIN useradmin_revocation
  ON transaction_id >= $1::xid8 AND ($1 = '0' OR transaction_id < pg_snapshot_xmax(pg_current_snapshot())) GROUP BY 2`;
// As in better-auth: some storages return parsed values, and a value that is not JSON is not a session.
const parse = (value: any) => { try { return typeof value === "string" ? JSON.parse(value) : value; } catch {} };

export const followRevocations = (auth: { $context: Promise<any> }, pool: { query: any }) => {
  let [position, isStopped] = ["0", false]; // "0": the last 30 days, since the application may have been down
  const endSessions = async ({ user_id, all_at, any_at, ids }: any) => {
    const { adapter, internalAdapter, secondaryStorage, sessionConfig } = await auth.$context;
    if (all_at) { // better-auth 1.7.10 and later also reject sessions that the list below lacks
      const [key, before] = [`revoked-sessions-before-${user_id}`, Number(all_at) + 1000];
      const isNewer = before > (Number(parse(await secondaryStorage.get(key))) || 0);
      if (isNewer) await secondaryStorage.set(key, String(before), Math.max(sessionConfig.expiresIn, 86400));
    }
    for (const { token } of parse(await secondaryStorage.get(`active-sessions-${user_id}`)) ?? []) {
      const session = parse(await secondaryStorage.get(token))?.session;
      const openedAt = Date.parse(session?.createdAt) - 1000; // the clocks may differ
      const isNamed = !session?.id || ids.includes(String(session.id)); // better-auth 1.4 stores no id
      const find = () => adapter.findOne({ model: "session", where: [{ field: "token", value: token }] });
      if (openedAt < all_at || (openedAt < any_at && isNamed && !(await find()))) await internalAdapter.deleteSession(token);
    }
  };
  const sweep = async () => {
    const { rows } = await pool.query(query, [position]);
    let failure: any; // the other users are still processed; the next sweep starts at the same position
    for (const row of rows) if (row.user_id) await endSessions(row).catch((error) => { failure ??= error; });
    if (failure) throw failure;
    position = BigInt(rows[0].position) < BigInt(position) ? "0" : rows[0].position; // lower if the database was replaced
  };
  (async () => { while (!isStopped) await sweep().catch(console.error).then(() => sleep(1000)); })();
  return () => { isStopped = true; };
};
