// The service in JavaScript with the library's own sessions, as the application itself would have it.
import { betterAuth } from "better-auth";
import { admin } from "better-auth/plugins";
import { adminAc, userAc } from "better-auth/plugins/admin/access";

import { serve } from "./fastify.mjs";

await serve((pool) => {
  const auth = betterAuth({
    database: pool,
    secret: process.env.BENCH_SECRET,
    baseURL: `http://127.0.0.1:${process.env.BENCH_PORT}`,
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [
      admin({
        roles: { user: userAc, admin: adminAc, superAdmin: adminAc },
        adminRoles: ["admin", "superAdmin"],
      }),
    ],
  });
  return async (request) => {
    const session = await auth.api.getSession({
      headers: new Headers({ cookie: request.headers.cookie ?? "" }),
    });
    return session && { id: session.user.id, role: session.user.role ?? "user" };
  };
});
