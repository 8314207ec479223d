// Programs and ports, for all kinds of tests.
import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { connect, createServer } from "node:net";

/** Runs a program to completion, with `input` as its standard input. Returns {status, output, error}. */
export const run = (program, words, input = "") =>
  new Promise((resolve) => {
    const child = execFile(program, words, { maxBuffer: 1 << 26 }, (failure, output, error) =>
      resolve({ status: failure ? (failure.code ?? -1) : 0, output, error }),
    );
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });

/** Returns a free port of 127.0.0.1. */
export const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Returns whether a process listens on the port of 127.0.0.1. */
export const accepts = (port) =>
  new Promise((resolve) => {
    const connection = connect(port, "127.0.0.1");
    connection.on("error", () => resolve(false));
    connection.on("connect", () => {
      connection.destroy();
      resolve(true);
    });
  });

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Polls until the condition is true or time is up. Returns whether it became true. */
export const eventually = async (condition, seconds = 60) => {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(20))
    if (await condition()) return true;
  return false;
};

/** A program that runs until it is stopped, at the latest when the tests end. */
export class Program {
  #child;

  /** Starts a program. Its output is appended to the file. */
  constructor(words, output, environment = process.env) {
    const file = openSync(output, "a");
    // The kernel stops it even if the tests crash.
    this.#child = spawn("setpriv", ["--pdeathsig", "TERM", "--", ...words], {
      stdio: ["ignore", file, file],
      detached: true,
      env: environment,
    });
    closeSync(file);
  }

  get pid() {
    return this.#child.pid;
  }

  get hasEnded() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Waits until it accepts connections on the port. Returns false if it ends before. */
  async listens(port) {
    return (await eventually(async () => this.hasEnded || (await accepts(port)))) && !this.hasEnded;
  }

  signal(name) {
    this.#child.kill(name);
  }

  /** Kills the program and its remaining children. */
  kill() {
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // The processes had already ended.
    }
  }
}
