// better-auth as an application configures it.
import { betterAuth } from "better-auth";
import { admin } from "better-auth/plugins";
import { adminAc, userAc } from "better-auth/plugins/admin/access";

export const authOn = (pool) =>
  betterAuth({
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
