// better-auth alone, with its admin plugin.
import { createServer } from "node:http";

import { toNodeHandler } from "better-auth/node";

import { authOn } from "./auth.mjs";
import { serveWith } from "./fastify.mjs";

await serveWith((pool) => createServer(toNodeHandler(authOn(pool))));
