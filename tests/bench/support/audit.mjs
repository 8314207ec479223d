// What the audit log costs: changes alone, and changes among reads, with the log and without.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

import { idOf } from "./databases.mjs";
import { drive, median } from "./drive.mjs";
import { comparison } from "./lines.mjs";
import { folder } from "./machine.mjs";
import { Figures, inTurns, withCopy, withServer } from "./writes.mjs";

/** Whose names are changed: more than there are callers, so that they rarely wait for one another. */
const ids = Array.from({ length: 887 }, (_, index) => idOf(index + 10));

/** Changes, one among so many requests; the others are reads. */
const change = (server, headers, seconds, share, connections = 8) =>
  drive(
    `${server.address}/api/users`,
    { ...headers, "Content-Type": "application/json" },
    { seconds, connections, script: "change.lua", words: [String(share), ...ids] },
  );

/** Nothing is wanted of changes alone: each writes a line to a file, which the other side does not. */
const loads = [
  ["a change among ten requests", 10, { least: 0.95 }],
  ["changes alone", 1, {}],
];

export const audit = async ({ rounds, seconds, say }) => {
  const home = mkdtempSync(join(folder, "audit-"));
  const log = [`UserAdminAuditLog "${join(home, "audit.log")}"`];
  try {
    return await withCopy({ users: 1_000 }, "changed_plain", (plainData) =>
      withCopy({ users: 1_000 }, "changed_audited", (auditedData) =>
        withServer("notes", plainData, [], (plain, headers) =>
          withServer("notes", auditedData, log, async (audited) => {
            const both = [
              ["without", plain],
              ["with an audit log", audited],
            ];
            const figures = new Figures();
            const ratios = new Map(loads.map(([load]) => [load, []]));
            for (const [, server] of both) await change(server, headers, 1, 1);
            // A pair of measurements is compared, not their medians: a drift of the machine meets both.
            for (let round = 1; round <= 2 * rounds; ++round)
              for (const [load, share] of loads) {
                const measured = await inTurns(round, both, (server) =>
                  change(server, headers, seconds, share),
                );
                for (const [name, of] of measured) figures.add(`${load}, ${name}`, of);
                ratios
                  .get(load)
                  .push(measured.get("with an audit log").rate / measured.get("without").rate);
                say(`  round ${round}: ${load}: ${ratios.get(load).at(-1).toFixed(3)} of the rate`);
              }
            return loads.flatMap(([load, , bound]) => [
              { ...figures.row(`${load}, without`), memory: plain.memory },
              {
                ...figures.row(`${load}, with an audit log`),
                memory: audited.memory,
                comparisons: [
                  comparison(`rate of ${load}, without`, median(ratios.get(load)), bound, " ×"),
                ],
              },
            ]);
          }),
        ),
      ),
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};
