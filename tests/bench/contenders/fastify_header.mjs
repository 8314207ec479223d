// The service in JavaScript behind a proxy that identifies the caller in headers.
import { serve } from "./fastify.mjs";

await serve(() => (request) => ({
  id: request.headers["x-user-id"],
  role: request.headers["x-user-role"] ?? "user",
}));
