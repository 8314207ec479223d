// A child's memory after few requests and after many.
import { record } from "../cases.mjs";
import { contenders, start } from "./contenders.mjs";
import { drive } from "./drive.mjs";
import { comparison } from "./lines.mjs";
import { descendants, residentBytes } from "./servers.mjs";

const few = 10_000;

/** Reads, lists and searches with a session's cookie, until the largest child's size is known twice. */
export const memory = async ({ isQuick, say }) => {
  const many = isQuick ? 50_000 : 1_000_000;
  const server = await start("session", { users: 1_000 });
  try {
    let requests = 0;
    let rate = few;
    const until = async (number) => {
      while (requests < number) {
        const figures = await drive(`${server.address}/api/users`, contenders.session.headers("superAdmin"), {
          seconds: Math.min(20, Math.max(1, Math.ceil((number - requests) / rate))),
          script: "mixed.lua",
          words: [record.id],
        });
        requests += figures.requests;
        rate = figures.rate;
        say(`  ${requests.toLocaleString("en")} requests`);
      }
      return { rate, memory: Math.max(...descendants(server.pid).map(({ pid }) => residentBytes(pid))) };
    };
    const early = await until(few);
    const late = await until(many);
    const name = (number) =>
      `cookie: reads, lists, searches; the largest child after ${number.toLocaleString("en")}`;
    return [
      { name: name(few), ...early },
      {
        name: name(many),
        ...late,
        comparisons: [
          comparison("more than before", (late.memory - early.memory) / 2 ** 20, { most: 1 }, " MiB"),
        ],
      },
    ];
  } finally {
    await server.stop();
  }
};
