// A real httpd with the project's modules on a free port of 127.0.0.1. Its error log is watched.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { LogWatch } from "./log_watch.mjs";
import {
  built,
  eventually,
  freePort,
  httpd,
  httpdEnvironment,
  httpdModule,
  Program,
  run,
  work,
} from "./machine.mjs";

let started = 0;

// Some modules are built in on some systems and loaded on others.
const load = (name, file) =>
  `<IfModule !${name}_module>\n  LoadModule ${name}_module "${file}"\n</IfModule>\n`;

export const loadOwn = (name) =>
  existsSync(httpdModule(`mod_${name}.so`)) ? load(name, httpdModule(`mod_${name}.so`)) : "";

export const ownModules =
  load("useradmin", built("mod_useradmin.so")) + load("auth_useradmin", built("mod_auth_useradmin.so"));

/** Returns the user and group of httpd's children, or undefined if they run as the tests' user. */
export const accountOfChildren = async () => {
  if (process.getuid() !== 0) return undefined;
  for (const user of ["www-data", "apache", "httpd", "daemon"]) {
    const group = await run("id", ["-gn", user]);
    if (group.status === 0) return { user, group: group.output.trim() };
  }
  throw new Error("no user for httpd's children was found: create one with: useradd --system www-data");
};

/**
 * Starts an httpd in a directory of its own, and waits until it accepts connections. `lines` are added to its configuration.
 * In them, paths are relative to the directory, and ${PORT} is the port. Returns {program, folder, port, configuration}.
 */
export const startHttpd = async (lines) => {
  const account = await accountOfChildren();
  // Another program may bind the port before httpd does.
  for (let attempt = 1; ; ++attempt) {
    const folder = join(work, `httpd-${process.pid}-${++started}`);
    const port = await freePort();
    mkdirSync(join(folder, "documents"), { recursive: true });
    const configuration = join(folder, "httpd.conf");
    writeFileSync(
      configuration,
      `ServerRoot "${folder}"\nDefaultRuntimeDir "${folder}"\nPidFile "${folder}/httpd.pid"\n` +
        `ErrorLog "${folder}/error.log"\nServerName localhost\nListen 127.0.0.1:${port}\nDefine PORT ${port}\n` +
        ["mpm_event", "unixd", "authz_core", "dbd"].map(loadOwn).join("") +
        (account ? `User ${account.user}\nGroup ${account.group}\n` : "") +
        lines,
    );
    const output = join(folder, "output");
    const program = new Program([httpd, "-f", configuration, "-DFOREGROUND"], output, httpdEnvironment);
    if (await program.listens(port)) return { program, folder, port, configuration };
    program.kill();
    const logs = [output, join(folder, "error.log")].filter(existsSync).map((file) => readFileSync(file, "utf8"));
    if (attempt === 3) throw new Error(`httpd did not start:\n${logs.join("")}`);
  }
};

export class Httpd {
  #program;

  /** Starts an httpd with the modules and these lines in its configuration. */
  static async start(lines) {
    const server = new Httpd();
    const { program, ...files } = await startHttpd(
      "DocumentRoot documents\n" +
        "LogLevel info useradmin:trace8 auth_useradmin:trace8\n" +
        "UseCanonicalName Off\n" +
        "KeepAlive On\nMaxKeepAliveRequests 0\nKeepAliveTimeout 30\nGracefulShutdownTimeout 10\n" +
        ["log_config", "authn_core", "authz_user", "auth_basic"].map(loadOwn).join("") +
        "StartServers 2\nServerLimit 2\nThreadsPerChild 16\nMaxRequestWorkers 32\n" +
        "MinSpareThreads 2\nMaxSpareThreads 32\n" +
        ownModules +
        // Long timeouts, because the machine may stall for a while.
        "UserAdminTimeout 60\nAuthUserAdminTimeout 60\n" +
        lines,
    );
    server.#program = program;
    Object.assign(server, files);
    server.log = new LogWatch(join(server.folder, "error.log"));
    return server;
  }

  get address() {
    return `http://localhost:${this.port}`;
  }

  /** Returns the pids of httpd's children. */
  async children() {
    return (await run("pgrep", ["-P", String(this.#program.pid)])).output.trim().split("\n").toSorted();
  }

  async finishTest() {
    await this.log.finishTest(eventually);
  }

  /** Stops gracefully, as an operator would. Sends SIGTERM if that takes too long. Kills remaining children. */
  async stop() {
    const endedEarly = this.#program.hasEnded;
    this.#program.signal("SIGWINCH");
    if (!(await eventually(() => this.#program.hasEnded, 30))) this.#program.signal("SIGTERM");
    const ended = await eventually(() => this.#program.hasEnded);
    this.#program.kill();
    await this.finishTest();
    if (endedEarly) throw new Error("httpd ended before it was told to");
    if (!ended) throw new Error("httpd did not stop");
  }
}
