// The service in JavaScript behind a proxy that says who is calling.
import { serve } from "./fastify.mjs";

await serve(() => (request) => ({
  id: request.headers["x-user-id"],
  role: request.headers["x-user-role"] ?? "user",
}));
