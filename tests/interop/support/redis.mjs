// A real Redis on a free port of 127.0.0.1, without files.
import { spawn } from "node:child_process";

import { accepts, eventually, freePort, load } from "./machine.mjs";

export class Redis {
  #process;

  /** Starts Redis. It runs until the tests end. */
  async start() {
    process.on("exit", () => this.#process.kill("SIGKILL"));
    // Another program may bind the port before Redis does.
    for (let attempt = 0; attempt < 3; ++attempt) if (await this.#start()) return;
    throw new Error("Redis did not start: install redis-server.");
  }

  async #start() {
    this.port = await freePort();
    const words = ["--port", this.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"].map(String);
    this.#process = spawn("setpriv", ["--pdeathsig", "KILL", "--", "redis-server", ...words], { stdio: "ignore" });
    this.#process.unref();
    const hasEnded = () => this.#process.exitCode !== null;
    return (await eventually(async () => hasEnded() || (await accepts(this.port)))) && !hasEnded();
  }

  /** Returns the library's secondaryStorage option for a Redis database. */
  async storage(database, prefix) {
    const { default: Client } = await load("ioredis");
    const client = new Client({ port: this.port, db: database });
    client.on("error", () => {});
    return {
      get: (key) => client.get(prefix + key),
      set: (key, value, ttl) => (ttl ? client.set(prefix + key, value, "EX", ttl) : client.set(prefix + key, value)),
      delete: async (key) => void (await client.del(prefix + key)),
      close: () => client.disconnect(),
    };
  }
}
