// The service in JavaScript, as an application would implement it: Fastify, pg, prepared statements, as many workers as
// processors. The two programs fastify_*.mjs provide the function that identifies the caller.
import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";

import { hash } from "@node-rs/argon2";
import fastify from "fastify";
import pg from "pg";

const fields = [
  "id", "name", "email", "role", "emailVerified", "image", "createdAt", "updatedAt",
  "banned", "banReason", "banExpires",
];
const columns = fields.map((field) => `"${field}"`).join(", ");
const roleColumn = `COALESCE("role", 'user')`;

const user = (row) => ({ ...row, role: row.role ?? "user", banned: row.banned ?? false });

// With a schema, Fastify writes JSON without inspecting the type of each value.
const userSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    email: { type: "string" },
    role: { type: "string" },
    emailVerified: { type: "boolean" },
    image: { type: "string", nullable: true },
    createdAt: { type: "string", format: "date-time" },
    updatedAt: { type: "string", format: "date-time" },
    banned: { type: "boolean" },
    banReason: { type: "string", nullable: true },
    banExpires: { type: "string", format: "date-time", nullable: true },
  },
};
const count = { type: "integer" };
const response = (properties) => ({
  response: { 200: { type: "object", properties: { success: { type: "boolean" }, ...properties } } },
});
const userReply = response({ data: userSchema });
const listReply = response({
  data: { type: "array", items: userSchema },
  pagination: {
    type: "object",
    properties: { page: count, limit: count, total: count, totalPages: count },
  },
});

const isAdministrator = (caller) => caller.role === "admin" || caller.role === "superAdmin";

/** Parses a positive integer. Returns `otherwise` for any other text. */
const wholeNumber = (text, otherwise) => (/^[1-9][0-9]{0,8}$/.test(text ?? "") ? Number(text) : otherwise);

const reject = (reply, status, error) => reply.code(status).send({ success: false, error });

/** Returns the filters that a list combines with OR (4.1), as SQL with its values. */
const filterOf = (caller, { role, search }) => {
  const conditions = [];
  const values = [];
  const wanted = caller.role === "admin" ? "user" : role;
  if (wanted) conditions.push(`${roleColumn} = $${values.push(wanted)}`);
  if (search) {
    const place = `$${values.push(`%${search.replace(/[\\%_]/g, "\\$&")}%`)}`;
    conditions.push(`"name" ILIKE ${place} OR "email" ILIKE ${place}`);
  }
  return { where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" OR ")}`, values };
};

const application = async (pool, callerOf) => {
  const server = fastify();

  /** Adds a route that requires a session. `failure` is the error text if the operation fails. */
  const route = (method, url, schema, failure, handler) =>
    server.route({
      method,
      url,
      schema,
      handler: async (request, reply) => {
        const caller = await callerOf(request);
        if (!caller?.id) return reject(reply, 401, "No autorizado");
        return handler(caller, request, reply);
      },
      errorHandler: (error, request, reply) => {
        console.error(error);
        reject(reply, 500, failure);
      },
    });

  route("GET", "/api/users", listReply, "Error al obtener usuarios", async (caller, request, reply) => {
    if (!isAdministrator(caller)) return reject(reply, 403, "No tienes permisos para ver usuarios");
    const page = wholeNumber(request.query.page, 1);
    const limit = Math.min(wholeNumber(request.query.limit, 20), 1000);
    const { where, values } = filterOf(caller, request.query);
    // pg prepares a statement per name, so the name contains the SQL of the filter.
    const [rows, counted] = await Promise.all([
      pool.query({
        name: `list ${where}`.slice(0, 63),
        text:
          `SELECT ${columns} FROM "user" ${where} ORDER BY "createdAt" DESC, "id" ` +
          `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
        values: [...values, limit, (page - 1) * limit],
      }),
      pool.query({
        name: `count ${where}`.slice(0, 63),
        text: `SELECT count(*) FROM "user" ${where}`,
        values,
      }),
    ]);
    const total = Number(counted.rows[0].count);
    return {
      success: true,
      data: rows.rows.map(user),
      pagination: { page, limit, total, totalPages: Math.ceil(total / limit) },
    };
  });

  route("GET", "/api/users/:id", userReply, "Error al obtener usuario", async (caller, request, reply) => {
    const { id } = request.params;
    if (!isAdministrator(caller) && caller.id !== id) return reject(reply, 403, "No tienes permisos");
    const { rows } = await pool.query({
      name: "read",
      text: `SELECT ${columns} FROM "user" WHERE "id" = $1`,
      values: [id],
    });
    if (rows.length === 0) return reject(reply, 404, "Usuario no encontrado");
    return { success: true, data: user(rows[0]) };
  });

  route("POST", "/api/users", userReply, "Error al crear usuario", async (caller, request, reply) => {
    if (!isAdministrator(caller)) return reject(reply, 403, "No tienes permisos para crear usuarios");
    const { name, email, password, role } = request.body;
    if (!name || !email || !password) return reject(reply, 400, "Faltan campos requeridos");
    if (caller.role === "admin" && role !== "user")
      return reject(reply, 403, "Solo puedes crear usuarios con rol 'user'");
    const taken = await pool.query({
      name: "taken",
      text: 'SELECT 1 FROM "user" WHERE "email" = $1',
      values: [email],
    });
    if (taken.rows.length > 0) return reject(reply, 400, "El email ya está registrado");
    const hashed = await hash(password, { memoryCost: 19456, timeCost: 2, parallelism: 1 });
    const id = randomUUID();
    const connection = await pool.connect();
    try {
      await connection.query("BEGIN");
      const { rows } = await connection.query({
        name: "create user",
        text:
          'INSERT INTO "user" ("id", "name", "email", "role", "emailVerified", "createdAt", "updatedAt", "banned") ' +
          `VALUES ($1, $2, $3, $4, true, now(), now(), false) RETURNING ${columns}`,
        values: [id, name, email, role ?? "user"],
      });
      await connection.query({
        name: "create account",
        text:
          'INSERT INTO "account" ("id", "accountId", "providerId", "userId", "password", "createdAt", "updatedAt") ' +
          "VALUES ($1, $2, 'credential', $3, $4, now(), now())",
        values: [randomUUID(), email, id, hashed],
      });
      await connection.query("COMMIT");
      return { success: true, data: user(rows[0]) };
    } catch (error) {
      await connection.query("ROLLBACK");
      throw error;
    } finally {
      connection.release();
    }
  });

  return server;
};

/** Serves on 127.0.0.1 until the process is terminated. `serverFrom` takes the pool and returns a server. */
export const serveWith = async (serverFrom) => {
  const workers = availableParallelism();
  if (cluster.isPrimary) {
    for (let worker = 0; worker < workers; ++worker) cluster.fork();
    cluster.on("exit", () => process.exit(1));
    process.on("SIGTERM", () => process.exit(0));
    return;
  }
  const pool = new pg.Pool({
    host: process.env.BENCH_SOCKET,
    user: "useradmin",
    database: process.env.BENCH_DATABASE,
    max: Math.ceil(Number(process.env.BENCH_DATABASE_CONNECTIONS) / workers),
  });
  const server = await serverFrom(pool);
  await server.listen({ host: "127.0.0.1", port: Number(process.env.BENCH_PORT) });
};

/** Serves the API with Fastify. `callerFrom` takes the pool and returns a function from a request to {id, role} or null. */
export const serve = (callerFrom) =>
  serveWith(async (pool) => application(pool, await callerFrom(pool)));
