// The servers that the benchmark starts. They exit with the benchmark, and report their address and memory.
import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { loadOwn, startHttpd as startAnyHttpd } from "../../javascript/httpd.mjs";
import { eventually, freePort, pause, Program, run, Skipped, work } from "./machine.mjs";

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
  #program;

  /** Starts a program and waits until it accepts connections on the port. Its output goes to the log. */
  static async start(words, { port, log, environment = {} }) {
    const program = new Program(words, log, { ...process.env, ...environment });
    if (await program.listens(port)) return new Server(program, port, log);
    program.kill();
    throw new Error(`${words[0]} did not start; the end of ${log} is:\n${lastLines(log)}`);
  }

  /** A running program. `errors` is its log. */
  constructor(program, port, errors) {
    this.#program = program;
    this.address = `http://127.0.0.1:${port}`;
    this.errors = errors;
    running.add(this);
  }

  get pid() {
    return this.#program.pid;
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
    this.#program.signal("SIGTERM");
    await eventually(() => this.#program.hasEnded, 10);
    this.#program.kill();
    running.delete(this);
  }
}

export const stopAll = () => Promise.all([...running].map((server) => server.stop()));

let started = 0;

/** Creates a directory for a server and finds a free port. */
export const place = async (name) => {
  const home = join(work, `${++started}-${name}`);
  mkdirSync(home, { recursive: true });
  return { home, port: await freePort() };
};

// One child with a database connection for each of wrk's connections, and so many threads that httpd never closes a keep-alive
// connection.
const settings = `${loadOwn("watchdog")}LogLevel warn
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
`;

/** Starts an httpd (event, one child with more threads than connections) with these lines in its configuration. */
export const startHttpd = async (lines) => {
  try {
    const { program, folder, port } = await startAnyHttpd(settings + lines);
    return new Server(program, port, join(folder, "error.log"));
  } catch (failure) {
    const unknown = /Invalid command '((?:Auth)?UserAdmin[A-Za-z]*)'/.exec(failure.message);
    if (unknown) throw new Skipped(`not there yet: the directive ${unknown[1]}`);
    throw failure;
  }
};
