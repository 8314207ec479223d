// One, two and three httpds, each with the same share of a processor, on tables of different sizes.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";

import { record } from "../cases.mjs";
import { contenders, start } from "./contenders.mjs";
import { connected, database } from "./databases.mjs";
import { drive, median } from "./drive.mjs";
import { comparison } from "./lines.mjs";
import { postgresqlPid, Skipped } from "./machine.mjs";
import { descendants, processorSeconds } from "./servers.mjs";
import { Measurements } from "./writes.mjs";

const sizes = [100_000, 1_000_000, 10_000_000];
const mostServers = 3;
/** The share of a processor: small enough that neither the database nor wrk is the limit. */
const share = 0.1;

const requests = [
  ["read one user", `/api/users/${record.id}`],
  ["list 20", "/api/users"],
  ["search", `/api/users?search=${encodeURIComponent("Ibáñez-Quiroga")}&match=all`],
];

/** Returns the directory and the limits of a control group: below the cpu controller (version 1), or below the root (version 2). */
const groupOf = (name) => {
  const first = "/sys/fs/cgroup/cpu";
  const second = "/sys/fs/cgroup";
  if (existsSync(`${first}/cpu.shares`))
    return {
      folder: `${first}/${name}`,
      limits: [
        ["cpu.cfs_period_us", "100000"],
        ["cpu.cfs_quota_us", `${share * 100000}`],
      ],
    };
  writeFileSync(`${second}/cgroup.subtree_control`, "+cpu");
  return { folder: `${second}/${name}`, limits: [["cpu.max", `${share * 100000} 100000`]] };
};

/** Limits a server and its children. Returns the directory of their control group. */
const limit = (server, number) => {
  try {
    const { folder, limits } = groupOf(`useradmin-bench-${number}`);
    mkdirSync(folder, { recursive: true });
    for (const [file, value] of limits) writeFileSync(`${folder}/${file}`, value);
    for (const { pid } of [server, ...descendants(server.pid)])
      writeFileSync(`${folder}/cgroup.procs`, String(pid));
    return folder;
  } catch (error) {
    throw new Skipped(`it needs root and control groups: ${error.message}`);
  }
};

/** Loads the servers concurrently. Returns their total rate and the number of processors that the database uses. */
const driveAll = async (servers, path, seconds) => {
  const headers = contenders.session.headers("superAdmin");
  const began = performance.now();
  const before = processorSeconds(postgresqlPid);
  const all = await Promise.all(
    servers.map(({ address }) => drive(address + path, headers, { seconds, connections: 4 })),
  );
  const processors = (processorSeconds(postgresqlPid) - before) / ((performance.now() - began) / 1000);
  return {
    rate: all.reduce((sum, { rate }) => sum + rate, 0),
    p50: median(all.map(({ p50 }) => p50)),
    p99: Math.max(...all.map(({ p99 }) => p99)),
    processors,
  };
};

const measureSize = async (users, { rounds, seconds, say }) => {
  const data = { users, isScaled: true };
  const { name } = await database(data);
  const { rows } = await connected(name, (client) =>
    client.query(`SELECT pg_database_size(current_database()) AS all, pg_table_size('"user"') AS table`),
  );
  const size = (text, bytes) => comparison(text, Number(bytes) / 2 ** 30, {}, " GiB");
  const title = `${users.toLocaleString("en")} users`;
  const results = [
    { name: title, comparisons: [size("database", rows[0].all), size("users alone", rows[0].table)] },
  ];
  const figures = new Measurements();
  const servers = [];
  const groups = [];
  try {
    for (let number = 1; number <= mostServers; ++number) {
      servers.push(await start("session", data));
      groups.push(limit(servers.at(-1), number));
    }
    for (const [what, path] of requests)
      for (let count = 1; count <= mostServers; ++count) {
        const some = servers.slice(0, count);
        const text = `${title}, ${count} httpd${count > 1 ? "s" : ""}, ${what}`;
        await driveAll(some, path, 1);
        for (let round = 0; round < rounds; ++round) figures.add(text, await driveAll(some, path, seconds));
        const row = figures.row(text);
        say(`  ${text}: ${row.rate.toFixed(0)} requests/s`);
        results.push({
          ...row,
          comparisons: [comparison("the database's processors", figures.median(text, "processors"), {})],
        });
      }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    for (const folder of groups) rmdirSync(folder);
  }
  return results;
};

export const sizing = async (settings) => {
  const results = [];
  for (const users of settings.isQuick ? sizes.slice(0, 1) : sizes)
    results.push(...(await measureSize(users, settings)));
  return results;
};
