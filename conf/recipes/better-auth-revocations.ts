// better-auth with secondaryStorage: what mod_useradmin revokes in PostgreSQL ends there too, within about a second.
// Each process calls followRevocations(auth, pool); the result stops it. The pool needs SELECT on useradmin_revocation.
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";

const query = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS position, r.user_id, r.session_id, r.created_at
  FROM (VALUES (1)) AS one LEFT JOIN useradmin_revocation r ON r.transaction_id >= $1::xid8 ORDER BY r.id`;

export const followRevocations = (auth: { $context: Promise<any> }, pool: Pick<Pool, "query">) => {
  let position = "0"; // Starts with the revocations of the last 30 days: the application may have been down.
  const sweep = async () => {
    const { adapter, internalAdapter, secondaryStorage } = await auth.$context;
    const read = async (key: string) => JSON.parse((await secondaryStorage.get(key)) ?? "null");
    const { rows } = await pool.query(query, [position]);
    for (const { user_id, session_id, created_at } of rows)
      for (const { token } of (user_id && (await read(`active-sessions-${user_id}`))) || []) {
        const session = (await read(token))?.session;
        const isRevoked = session_id
          ? !(await adapter.findOne({ model: "session", where: [{ field: "token", value: token }] }))
          : // Sessions that were opened later go on. Clocks may differ by a second.
            Date.parse(session?.createdAt) < +created_at + 1000;
        if (isRevoked) await internalAdapter.deleteSession(token);
      }
    position = rows[0].position;
  };
  // A sweep that fails, since PostgreSQL or the storage is down, is repeated from the same position.
  let isStopped = false;
  (async () => { while (!isStopped) await sweep().catch(console.error).then(() => sleep(1000)); })();
  return () => { isStopped = true; };
};
