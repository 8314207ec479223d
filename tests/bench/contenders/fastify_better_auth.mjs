// The service in JavaScript with better-auth's sessions, as an application would implement it.
import { authOn } from "./auth.mjs";
import { serve } from "./fastify.mjs";

await serve((pool) => {
  const auth = authOn(pool);
  return async (request) => {
    const session = await auth.api.getSession({
      headers: new Headers({ cookie: request.headers.cookie ?? "" }),
    });
    return session && { id: session.user.id, role: session.user.role ?? "user" };
  };
});
