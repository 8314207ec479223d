// What the same list costs the database when many ask for it at the same moment.
import { Agent } from "node:http";

import { contenders, start } from "./contenders.mjs";
import { ask, median } from "./drive.mjs";
import { comparison, settled } from "./lines.mjs";
import { postgresqlPid } from "./machine.mjs";
import { processorSeconds } from "./servers.mjs";

const callers = 16;
const bursts = 5;

/** The database's processor time for 16 callers at once, beside that for one. */
export const burst = async ({ rounds, say }, { burst: { request, database } }) => {
  const contender = "notes";
  const server = await start(contender, database);
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const atOnce = (count) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const reply = await ask(
          server.address + request.path,
          contenders[contender].headers(request.caller),
          {
            agent,
          },
        );
        if (reply.status !== 200) throw new Error(`a list was answered with ${reply.status} ${reply.text}`);
      }),
    );
  /** The processor's clock is coarse: several in a row. */
  const cost = async (count) => {
    await settled(server);
    const before = processorSeconds(postgresqlPid);
    for (let number = 0; number < bursts; ++number) await atOnce(count);
    await settled(server);
    return ((processorSeconds(postgresqlPid) - before) / bursts) * 1000;
  };
  try {
    await atOnce(callers);
    const one = [];
    const many = [];
    for (let round = 1; round <= rounds; ++round) {
      one.push(await cost(1));
      many.push(await cost(callers));
      say(
        `  round ${round}: processor time of the database: ${one.at(-1)} ms, ${callers} at once ${many.at(-1)} ms`,
      );
    }
    return [
      { name: "the database's processor time, one caller", p50: median(one) },
      {
        name: `the database's processor time, ${callers} at once`,
        p50: median(many),
        comparisons: [comparison("that of one caller", median(many) / median(one), { most: 2 }, " ×")],
      },
    ];
  } finally {
    agent.destroy();
    await server.stop();
  }
};
