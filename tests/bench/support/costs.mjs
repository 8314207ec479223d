// Measures what the audit log and the delivery of bans cost: changes with and without them.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

import { connected, idOf } from "./databases.mjs";
import { drive, median } from "./drive.mjs";
import { comparison } from "./lines.mjs";
import { folder } from "./machine.mjs";
import { place, Server } from "./servers.mjs";
import { Measurements, measureInTurns, withCopy, withServer } from "./writes.mjs";

/** The users to change. There are many more users than connections, so requests rarely wait for each other. */
const ids = Array.from({ length: 887 }, (_, index) => idOf(index + 10));

/** Sends one change per `share` requests; the others are reads. */
const change = (server, headers, seconds, share, body) =>
  drive(
    `${server.address}/api/users`,
    { ...headers, "Content-Type": "application/json" },
    { seconds, connections: 8, script: "change.lua", words: [String(share), body, ...ids] },
  );

/**
 * Measures each load without and with a feature. Both servers have the directives `common`. The server with the feature also has
 * `directives`. `withoutIt` is SQL that prepares the database of the other one. A load is [title, requests per change, bound of
 * the rate].
 */
const cost = async ({ rounds, seconds, say }, { name, body, common = [], directives, withoutIt, loads }) =>
  withCopy({ users: 1_000 }, "changed_plain", (plainData) =>
    withCopy({ users: 1_000 }, "changed_featured", async (featuredData) => {
      if (withoutIt) await connected(plainData.name, (client) => client.query(withoutIt));
      return withServer("notes", plainData, common, (plain, headers) =>
        withServer("notes", featuredData, [...common, ...directives], async (featured) => {
          const both = [
            ["without", plain],
            [name, featured],
          ];
          const figures = new Measurements();
          const ratios = new Map(loads.map(([load]) => [load, []]));
          for (const [, server] of both) await change(server, headers, 1, 1, body);
          // Compare pairs of measurements, not medians. Drift of the machine affects both measurements of a pair.
          for (let round = 1; round <= 2 * rounds; ++round)
            for (const [load, share] of loads) {
              const measured = await measureInTurns(round, both, (server) =>
                change(server, headers, seconds, share, body),
              );
              for (const [side, of] of measured) figures.add(`${load}, ${side}`, of);
              ratios.get(load).push(measured.get(name).rate / measured.get("without").rate);
              say(`  round ${round}: ${load}: ${ratios.get(load).at(-1).toFixed(3)} of the rate`);
            }
          return loads.flatMap(([load, , bound]) => [
            { ...figures.row(`${load}, without`), memory: plain.memory },
            {
              ...figures.row(`${load}, ${name}`),
              memory: featured.memory,
              comparisons: [comparison(`rate of ${load}, without`, median(ratios.get(load)), bound, " ×")],
            },
          ]);
        }),
      );
    }),
  );

export const audit = async (settings) => {
  const home = mkdtempSync(join(folder, "audit-"));
  try {
    return await cost(settings, {
      name: "with an audit log",
      body: '{"name":"Persona %d"}',
      directives: [`UserAdminAuditLog "${join(home, "audit.log")}"`],
      // Changes alone have no bound, because the server with the log also writes a line for each.
      loads: [
        ["a change among ten requests", 10, { least: 0.95 }],
        ["changes alone", 1, {}],
      ],
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

export const bans = async (settings) => {
  const { home, port } = await place("redis");
  const words = ["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"].map(String);
  const redis = await Server.start(["redis-server", ...words], { port, log: join(home, "output") });
  try {
    return await cost(settings, {
      name: "with the table of revocations and Redis",
      body: '{"banned":true,"banReason":"Motivo %d"}',
      // As in users.conf.
      common: ["UserAdminEndSessions On"],
      directives: [`UserAdminSecondaryStorage redis://127.0.0.1:${port}`],
      withoutIt: 'DROP TABLE "useradmin_revocation"',
      loads: [["bans alone", 1, { least: 0.8 }]],
    });
  } finally {
    await redis.stop();
  }
};
