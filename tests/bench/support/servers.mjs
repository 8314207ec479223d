// The servers that the benchmark starts. They exit with the benchmark, and report their address and memory.
import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import {
  accepts,
  childrenAccount,
  eventually,
  folder,
  freePort,
  httpd,
  loadHttpdModules,
  pause,
  run,
  Skipped,
} from "./machine.mjs";

const lastLines = (file) =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(-15).join("\n") : "";

/** Reads the current processes from /proc. Returns {pid, parent} for each. */
const processes = () =>
  readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const [own, ofChildren] = [
          [11, 12],
          [13, 14],
        ].map((places) => places.reduce((sum, place) => sum + Number(words[place]), 0));
        return [{ pid: Number(name), parent: Number(words[1]), ticks: own, ticksOfChildren: ofChildren }];
      } catch {
        return []; // the process has ended
      }
    });

/** Returns the descendants of a process. */
export const descendants = (pid, all = processes()) =>
  all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...descendants(child.pid, all)]);

/** Returns the resident memory of a process in bytes, or 0 if it has ended. */
export const residentBytes = (pid) => {
  try {
    return 1024 * Number(/^VmRSS:\s*([0-9]+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
};

const ticksPerSecond = Number((await run("getconf", ["CLK_TCK"])).output);

/** Returns the CPU seconds of a process and all its descendants, including those that have ended. */
export const processorSeconds = (pid) => {
  const all = processes();
  const itself = all.filter((one) => one.pid === pid);
  const everyone = [...itself, ...descendants(pid, all)];
  return (
    everyone.reduce((sum, { ticks, ticksOfChildren }) => sum + ticks + ticksOfChildren, 0) / ticksPerSecond
  );
};

/** Waits until these processes and their descendants are nearly idle. */
export const waitForIdleProcesses = async (pids) => {
  const used = () => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  for (let before = used(); ;) {
    await pause(100);
    const after = used();
    if (after - before < 0.03) return;
    before = after;
  }
};

const running = new Set();

export class Server {
  #process;

  /** Starts a program and waits until it accepts connections on the port. Its output goes to the log. */
  static async start(words, { port, log, environment = {} }) {
    const server = new Server();
    const output = openSync(log, "w");
    // The kernel stops the program even if the benchmark is killed.
    server.#process = spawn("setpriv", ["--pdeathsig", "TERM", "--", ...words], {
      stdio: ["ignore", output, output],
      detached: true,
      env: { ...process.env, ...environment },
    });
    closeSync(output);
    running.add(server);
    server.log = log;
    const ready = await eventually(async () => server.hasEnded || (await accepts(port)), 30);
    if (ready && !server.hasEnded) return server;
    await server.stop();
    throw new Error(`${words[0]} did not start; the end of ${log} is:\n${lastLines(log)}`);
  }

  get pid() {
    return this.#process.pid;
  }

  get hasEnded() {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** Returns the processes to wait for. */
  get pids() {
    return [this.pid];
  }

  /** The resident memory, in bytes, of the processes that answer requests: all but their parent. */
  get memory() {
    return descendants(this.pid).reduce((sum, { pid }) => sum + residentBytes(pid), 0);
  }

  async stop() {
    this.#process.kill("SIGTERM");
    await eventually(() => this.hasEnded, 10);
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // The process had already ended.
    }
    running.delete(this);
  }
}

export const stopAll = () => Promise.all([...running].map((server) => server.stop()));

let started = 0;

/** Creates a directory for a server and finds a free port. */
export const place = async (name) => {
  const home = join(folder, "servers", `${++started}-${name}`);
  mkdirSync(home, { recursive: true });
  return { home, port: await freePort() };
};

/** Returns the user and group of httpd's children, or null if they run as the benchmark's user. */
export const account = async () => {
  if (!childrenAccount) return null;
  return { user: childrenAccount, group: (await run("id", ["-gn", childrenAccount])).output.trim() };
};

/** Starts an httpd (event, one child with more threads than connections) with these lines in its configuration. */
export const startHttpd = async (name, lines) => {
  const { home, port } = await place(name);
  const children = await account();
  const configuration = join(home, "httpd.conf");
  writeFileSync(
    configuration,
    `ServerRoot "${home}"
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
PidFile "${home}/httpd.pid"
DefaultRuntimeDir "${home}"
${loadHttpdModules}
${children ? `User ${children.user}\nGroup ${children.group}\n` : ""}
ErrorLog "${home}/error.log"
LogLevel warn

# One child with a database connection for each of wrk's connections, and so many threads that httpd never closes a
# keep-alive connection.
StartServers 1
ServerLimit 1
ThreadsPerChild 48
MaxRequestWorkers 48
MinSpareThreads 1
MaxSpareThreads 48
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 60

<Directory "/">
    AllowOverride None
    Require all denied
</Directory>
<Location "/">
    Require all granted
</Location>
${lines}`,
  );
  const words = ["-f", configuration];
  const check = await run(httpd, [...words, "-t"]);
  if (check.status !== 0) {
    const unknown = /Invalid command '((?:Auth)?UserAdmin[A-Za-z]*)'/.exec(check.error);
    if (unknown) throw new Skipped(`not there yet: the directive ${unknown[1]}`);
    throw new Error(`httpd rejects ${configuration}:\n${check.error}`);
  }
  const server = await Server.start([httpd, ...words, "-DFOREGROUND"], { port, log: join(home, "output") });
  server.address = `http://127.0.0.1:${port}`;
  server.errors = join(home, "error.log");
  return server;
};
