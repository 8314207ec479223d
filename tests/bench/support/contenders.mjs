// The contenders: how to start each on a database, and the headers that its requests need.
import { createHmac, randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ownModules } from "../../javascript/httpd.mjs";
import { callers, database } from "./databases.mjs";
import { contenderFile, folder, node, socket } from "./machine.mjs";
import { place, Server, startHttpd } from "./servers.mjs";

/** The number of database connections per contender, one for each connection of wrk. */
const connections = 16;

const secret = randomBytes(32).toString("base64");
const secretFile = join(folder, "secret");
writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });
chmodSync(secretFile, 0o600);

const databaseLines = ({ driver, params }) => `DBDriver ${driver}
DBDParams "${params}"
DBDMin 1
DBDKeep ${connections}
DBDMax ${connections}
`;

const contenderModule = (name) => `LoadModule bench_${name}_module "${contenderFile(`${name}.so`)}"\n`;

/** Configures the service at the specification's base address, with limits high enough that no create is rejected. */
const service = (lines) => `${ownModules}UserAdminTimeout 60
AuthUserAdminTimeout 60
UserAdminHashQueue 48
<Location "/api/users">
    UserAdmin On
${lines.map((line) => `    ${line}\n`).join("")}</Location>
`;

/** Configures the endpoints of better-auth's admin client. */
const adminClient = (lines) => `${ownModules}<Location "/api/auth/admin">
    SetHandler useradmin-better-auth
${lines.map((line) => `    ${line}\n`).join("")}</Location>
`;

const startNode = async (program, { name }) => {
  const { home, port } = await place("node");
  return Server.start([node, contenderFile(program)], {
    port,
    log: join(home, "output"),
    environment: {
      NODE_ENV: "production",
      BENCH_PORT: String(port),
      BENCH_SOCKET: socket,
      BENCH_DATABASE: name,
      BENCH_DATABASE_CONNECTIONS: String(connections),
      BENCH_SECRET: secret,
    },
  });
};

const trusted = (caller) => ({ "X-User-Id": callers[caller].id, "X-User-Role": callers[caller].role });

/** Returns the cookie that the library would set: the token with its signature. */
const cookie = (caller) => {
  const { token } = callers[caller];
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  return { Cookie: `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}` };
};

const signed = ["AuthUserAdmin On", `AuthUserAdminSecret "file:${secretFile}"`];

const columns =
  '"id", "name", "email", "role", "emailVerified", "image", "createdAt", "updatedAt", "banned", "banReason", "banExpires"';

/** Each contender is {title, start(database, lines), headers(caller)}. */
export const contenders = {
  constant: {
    title: "(a) httpd, a constant record",
    start: () =>
      startHttpd(
        `${contenderModule("constant")}<Location "/">\n    SetHandler bench-constant\n</Location>\n`,
      ),
    headers: trusted,
  },
  floor: {
    title: "(b) httpd, the smallest handler on apr_dbd",
    start: (data) =>
      startHttpd(
        `${contenderModule("floor")}${databaseLines(data)}
DBDPrepareSQL 'SELECT ${columns} FROM "user" WHERE "id" = %s' floor
<Location "/api/users">
    SetHandler bench-floor
</Location>
`,
      ),
    headers: trusted,
    isFloor: true,
  },
  fastify: {
    title: "(c) Node.js, Fastify and pg",
    start: (data) => startNode("fastify_header.mjs", data),
    headers: trusted,
    isCompiledMeanwhile: true,
  },
  betterAuth: {
    title: "(d) Node.js, Fastify, pg and better-auth's getSession",
    start: (data) => startNode("fastify_better_auth.mjs", data),
    headers: cookie,
    isCompiledMeanwhile: true,
  },
  library: {
    title: "(d) Node.js, better-auth's admin plugin",
    start: (data) => startNode("better_auth.mjs", data),
    headers: cookie,
    isCompiledMeanwhile: true,
  },
  adminClient: {
    title: "(f) mod_useradmin for better-auth's admin client",
    start: (data) => startHttpd(`${databaseLines(data)}${adminClient(signed)}`),
    headers: cookie,
  },
  cachedAdminClient: {
    title: "(f) the same, AuthUserAdminCache and UserAdminTotalCache",
    start: (data) =>
      startHttpd(
        `${databaseLines(data)}${adminClient([...signed, "AuthUserAdminCache 60", "UserAdminTotalCache 60"])}`,
      ),
    headers: cookie,
  },
  notes: {
    title: "(e) mod_useradmin, notes",
    start: (data, lines = []) =>
      startHttpd(`${contenderModule("caller")}${databaseLines(data)}${service(lines)}`),
    headers: trusted,
  },
  cachedTotals: {
    title: "(e) mod_useradmin, notes, UserAdminTotalCache",
    start: (data) =>
      startHttpd(
        `${contenderModule("caller")}${databaseLines(data)}${service(["UserAdminTotalCache 60"])}`,
      ),
    headers: trusted,
  },
  session: {
    title: "(f) mod_useradmin, mod_auth_useradmin, a signed cookie",
    start: (data) => startHttpd(`${databaseLines(data)}${service(signed)}`),
    headers: cookie,
  },
  cachedSession: {
    title: "(f) the same, AuthUserAdminCache",
    start: (data) =>
      startHttpd(`${databaseLines(data)}${service([...signed, "AuthUserAdminCache 60"])}`),
    headers: cookie,
  },
};

/** Starts a contender on a database. Creates the database if it is missing. Returns {address, memory, errors, stop()}. */
export const start = async (name, wanted, lines) => contenders[name].start(await database(wanted), lines);
