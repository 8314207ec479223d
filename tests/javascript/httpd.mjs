// A real httpd with the project's modules on a free port of 127.0.0.1. Its error log is watched.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, closeSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { LogWatch } from "./log_watch.mjs";
import {
  accepts,
  built,
  eventually,
  freePort,
  httpd,
  httpdEnvironment,
  httpdModule,
  run,
  work,
} from "./machine.mjs";

let started = 0;

// Some modules are built in on some systems and loaded on others.
const load = (name, file) =>
  `<IfModule !${name}_module>\n  LoadModule ${name}_module "${file}"\n</IfModule>\n`;

export const loadOwn = (name) =>
  existsSync(httpdModule(`mod_${name}.so`)) ? load(name, httpdModule(`mod_${name}.so`)) : "";

/** Returns the user and group of httpd's children, or undefined if they run as the tests' user. */
export const accountOfChildren = async () => {
  if (process.getuid() !== 0) return undefined;
  for (const user of ["www-data", "apache", "httpd", "daemon"]) {
    const group = await run("id", ["-gn", user]);
    if (group.status === 0) return { user, group: group.output.trim() };
  }
  throw new Error("no user for httpd's children was found: create one with: useradd --system www-data");
};

export class Httpd {
  #process;

  /** Starts an httpd with these lines in its configuration, and waits until it accepts connections. */
  static async start(configuration) {
    const server = new Httpd();
    // Another program may bind the port before httpd does.
    for (let attempt = 0; attempt < 3; ++attempt) if (await server.#start(configuration)) return server;
    throw new Error(
      `httpd did not start:\n${readFileSync(join(server.folder, "output"), "utf8")}` +
        (existsSync(join(server.folder, "error.log"))
          ? readFileSync(join(server.folder, "error.log"), "utf8")
          : ""),
    );
  }

  async #start(configuration) {
    this.folder = join(work, `httpd-${process.pid}-${++started}`);
    this.port = await freePort();
    const account = await accountOfChildren();
    mkdirSync(join(this.folder, "documents", "guarded"), { recursive: true });
    writeFileSync(join(this.folder, "documents", "guarded", "page.txt"), "the guarded page\n");
    this.configuration = join(this.folder, "httpd.conf");
    writeFileSync(
      this.configuration,
      `ServerRoot "${this.folder}"\n` +
        `DefaultRuntimeDir "${this.folder}"\n` +
        `PidFile "${this.folder}/httpd.pid"\n` +
        `ErrorLog "${this.folder}/error.log"\n` +
        `DocumentRoot "${this.folder}/documents"\n` +
        "LogLevel info useradmin:trace8 auth_useradmin:trace8\n" +
        "ServerName localhost\n" +
        `Listen 127.0.0.1:${this.port}\nUseCanonicalName Off\n` +
        "KeepAlive On\nMaxKeepAliveRequests 0\nKeepAliveTimeout 30\nGracefulShutdownTimeout 10\n" +
        (account ? `User ${account.user}\nGroup ${account.group}\n` : "") +
        ["mpm_event", "unixd", "log_config", "authn_core", "authz_core", "authz_user", "auth_basic", "dbd"]
          .map(loadOwn)
          .join("") +
        "StartServers 2\nServerLimit 2\nThreadsPerChild 16\nMaxRequestWorkers 32\n" +
        "MinSpareThreads 2\nMaxSpareThreads 32\n" +
        load("useradmin", built("mod_useradmin.so")) +
        load("auth_useradmin", built("mod_auth_useradmin.so")) +
        // Long timeouts, because the machine may stall for a while.
        "UserAdminTimeout 60\nAuthUserAdminTimeout 60\n" +
        configuration,
    );
    const output = openSync(join(this.folder, "output"), "a");
    // The kernel stops httpd when the tests end, even if they crash.
    this.#process = spawn(
      "setpriv",
      ["--pdeathsig", "TERM", "--", httpd, "-f", this.configuration, "-DFOREGROUND"],
      { stdio: ["ignore", output, output], detached: true, env: httpdEnvironment },
    );
    closeSync(output);
    const ready = await eventually(async () => this.#ended || (await accepts(this.port)));
    if (!ready) process.kill(-this.#process.pid, "SIGKILL");
    this.log = new LogWatch(join(this.folder, "error.log"));
    return ready && !this.#ended;
  }

  get address() {
    return `http://localhost:${this.port}`;
  }

  get #ended() {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** Returns the pids of httpd's children. */
  async children() {
    return (await run("pgrep", ["-P", String(this.#process.pid)])).output.trim().split("\n").toSorted();
  }

  async finishTest() {
    await this.log.finishTest(eventually);
  }

  /** Stops gracefully, as an operator would. Sends SIGTERM if that takes too long. Kills remaining children. */
  async stop() {
    const endedEarly = this.#ended;
    this.#process.kill("SIGWINCH");
    if (!(await eventually(() => this.#ended, 30))) this.#process.kill("SIGTERM");
    const ended = await eventually(() => this.#ended);
    try {
      process.kill(-this.#process.pid, "SIGKILL");
    } catch {
      // The processes had already ended.
    }
    await this.finishTest();
    if (endedEarly) throw new Error("httpd ended before it was told to");
    if (!ended) throw new Error("httpd did not stop");
  }
}
