// A real Redis on a free port of 127.0.0.1, without files.
import { spawn } from "node:child_process";

import { accepts, eventually, freePort, load } from "./machine.mjs";

export class Redis {
  #process;

  /** Starts Redis. It runs until the tests end. */
  async start() {
    this.port = await freePort();
    const words = ["--port", this.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"].map(String);
    this.#process = spawn("setpriv", ["--pdeathsig", "KILL", "--", "redis-server", ...words], { stdio: "ignore" });
    this.#process.unref();
    process.on("exit", () => this.#process.kill("SIGKILL"));
    if (!(await eventually(() => accepts(this.port)))) throw new Error("Redis did not start: install redis-server.");
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

  freeze() {
    this.#process.kill("SIGSTOP");
  }
  thaw() {
    this.#process.kill("SIGCONT");
  }
}
