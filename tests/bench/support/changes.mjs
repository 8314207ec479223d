// Changes of single users, and what those to one file of SQLite's take, which come one after another.
import { idOf } from "./databases.mjs";
import { drive } from "./drive.mjs";
import { comparison } from "./lines.mjs";
import { Figures, inTurns, withServer, withSqliteCopy } from "./writes.mjs";

/** Whose names are changed: more than there are callers, so that they rarely wait for one another. */
const ids = Array.from({ length: 887 }, (_, index) => idOf(index + 10));

/** Changes, one among so many requests; the others are reads. */
export const change = (server, headers, seconds, share, connections = 8) =>
  drive(
    `${server.address}/api/users`,
    { ...headers, "Content-Type": "application/json" },
    { seconds, connections, script: "change.lua", words: [String(share), ...ids] },
  );

const callers = [1, 16];

export const changesSqlite = ({ rounds, seconds, say }) =>
  withSqliteCopy({ users: 1_000 }, "changed", "WAL", (withLog) =>
    withSqliteCopy({ users: 1_000 }, "changed_deleting", "DELETE", (withJournal) =>
      withServer("notes", withLog, [], (ahead, headers) =>
        withServer("notes", withJournal, [], async (deleting) => {
          const both = [
            ["write-ahead log", ahead],
            ["rollback journal", deleting],
          ];
          const figures = new Figures();
          const name = (server, count) => `${server}, ${count} caller${count === 1 ? "" : "s"}`;
          for (let round = 1; round <= rounds; ++round)
            for (const count of callers) {
              const measured = await inTurns(round, both, (server) =>
                change(server, headers, seconds, 1, count),
              );
              for (const [server, of] of measured) {
                figures.add(name(server, count), of);
                say(`  round ${round}: ${name(server, count)}: ${of.rate.toFixed(0)}/s`);
              }
            }
          return both.flatMap(([server, { memory }]) => {
            const [alone, together] = callers.map((count) => figures.row(name(server, count)));
            return [
              { ...alone, memory },
              {
                ...together,
                memory,
                comparisons: [comparison(`rate of ${alone.name}`, together.rate / alone.rate, {}, " ×")],
              },
            ];
          });
        }),
      ),
    ),
  );
