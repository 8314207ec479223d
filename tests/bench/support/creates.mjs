// Measures creates: against the bare hash, together with reads, and with counters to maintain.
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";

import { record } from "../cases.mjs";
import { database } from "./databases.mjs";
import { ask, drive } from "./drive.mjs";
import { comparison, waitUntilIdle } from "./lines.mjs";
import { contenderFile, run } from "./machine.mjs";
import { Measurements, measureInTurns, withCopy, withServer } from "./writes.mjs";

const million = 1_000_000;

/** Returns the seconds that one hash takes on its own. */
const bareHash = async (kibibytes, passes) => {
  const { status, output } = await run(contenderFile("hash"), [String(kibibytes), String(passes)]);
  if (status !== 0) throw new Error("contenders/hash.c failed");
  return Number(output);
};

const create = (server, headers, seconds, connections = 16) =>
  drive(
    `${server.address}/api/users`,
    { ...headers, "Content-Type": "application/json" },
    { seconds, connections, script: "create.lua", words: [randomBytes(6).toString("hex")] },
  );

const read = (server, headers, seconds) =>
  drive(`${server.address}/api/users/${record.id}`, headers, { seconds });

/** Fails unless the response to a create matches the stored user. */
const checkCreate = async (server, headers) => {
  const email = `${randomBytes(6).toString("hex")}@new.example`;
  const made = await ask(
    `${server.address}/api/users`,
    { ...headers, "Content-Type": "application/json" },
    {
      method: "POST",
      body: JSON.stringify({ name: "Núria", email, password: "correct horse battery staple", role: "user" }),
    },
  );
  const { data } = JSON.parse(made.text);
  const stored = await ask(`${server.address}/api/users/${data?.id}`, headers);
  if (
    made.status !== 200 ||
    data.email !== email ||
    JSON.stringify(JSON.parse(stored.text).data) !== JSON.stringify(data)
  )
    throw new Error(
      `a create was answered with ${made.status} ${made.text}, and a read of it with ${stored.text}`,
    );
};

/** Measures creates by the module, alone and together with reads, and by Fastify. */
export const creates = async ({ rounds, seconds, say }) => {
  const cores = availableParallelism();
  const hash = await bareHash(19456, 2);
  say(`  one hash: ${(hash * 1000).toFixed(1)} ms`);
  return withCopy({ users: million }, "written_notes", (data) =>
    withCopy({ users: million }, "written_fastify", (fastifyData) =>
      withServer("notes", data, [], (server, headers) =>
        withServer("fastify", fastifyData, [], async (fastify) => {
          await checkCreate(server, headers);
          await checkCreate(fastify, headers);
          await create(fastify, headers, 1);
          const figures = new Measurements();
          for (let round = 1; round <= rounds; ++round) {
            await waitUntilIdle(server);
            figures.add("notes, creates", await create(server, headers, seconds));
            await waitUntilIdle(server);
            figures.add("notes, reads", await read(server, headers, seconds));
            await waitUntilIdle(server);
            const [created, reads] = await Promise.all([
              create(server, headers, seconds),
              read(server, headers, seconds),
            ]);
            figures.add("notes, creates beside reads", created);
            figures.add("notes, reads beside creates", reads);
            await waitUntilIdle(server);
            figures.add("Fastify, creates", await create(fastify, headers, seconds));
            await waitUntilIdle(fastify);
            say(`  round ${round}: ${figures.row("notes, creates").rate.toFixed(1)} creates/s`);
          }
          const alone = figures.row("notes, creates");
          const reads = figures.row("notes, reads");
          const beside = figures.row("notes, reads beside creates");
          const fastifys = figures.row("Fastify, creates");
          return [
            { name: "one bare libargon2 hash", p50: hash * 1000 },
            {
              ...alone,
              memory: server.memory,
              comparisons: [
                comparison(
                  `rate of ${cores} cores ÷ bare hash`,
                  alone.rate / (cores / hash),
                  { least: 0.9 },
                  " ×",
                ),
                comparison("rate of Fastify, creates", alone.rate / fastifys.rate, { least: 0.8 }, " ×"),
              ],
            },
            reads,
            {
              ...beside,
              comparisons: [
                comparison("rate of notes, reads", beside.rate / reads.rate, { least: 0.5 }, " ×"),
              ],
            },
            figures.row("notes, creates beside reads"),
            { ...fastifys, memory: fastify.memory },
          ];
        }),
      ),
    ),
  );
};

/** Measures creates with and without counters. A normal hash would hide the database's share, so this one is very cheap. */
export const createsWithScale = async ({ rounds, seconds, say }) => {
  const lines = ["UserAdminPasswordHash argon2id m=64 t=1 p=1"];
  await database({ users: million, isScaled: true });
  return withCopy({ users: million }, "written_plain", (plainData) =>
    withCopy({ users: million, isScaled: true }, "written_scaled", (scaledData) =>
      withServer("notes", plainData, lines, (plain, headers) =>
        withServer("notes", scaledData, lines, async (scaled) => {
          const figures = new Measurements();
          const both = [
            ["notes, m=64 t=1", plain],
            ["notes --scale, m=64 t=1", scaled],
          ];
          for (const [, server] of both) {
            await checkCreate(server, headers);
            await create(server, headers, 1);
          }
          for (let round = 1; round <= rounds; ++round)
            for (const [name, measured] of await measureInTurns(round, both, (server) =>
              create(server, headers, seconds),
            )) {
              figures.add(name, measured);
              say(`  round ${round}: ${name}: ${figures.row(name).rate.toFixed(0)} creates/s`);
            }
          const [without, withScale] = both.map(([name, server]) => ({
            ...figures.row(name),
            memory: server.memory,
          }));
          return [
            without,
            {
              ...withScale,
              comparisons: [
                comparison(`rate of ${without.name}`, withScale.rate / without.rate, { least: 0.8 }, " ×"),
              ],
            },
          ];
        }),
      ),
    ),
  );
};
