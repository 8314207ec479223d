// The applications. Each is the real library with its own configuration.
import { readFileSync } from "node:fs";

import { eventually, load } from "./machine.mjs";
import { loadPlugin } from "./plugins.mjs";

export const origin = "http://localhost:3000";
export const secret = "interop-secret-0123456789abcdefghijklmnopqrstuvwxyz";

const argon2 = await load("@node-rs/argon2");

// The options from the manual for an application that reads and writes argon2id hashes.
export const argon2idPasswords = {
  password: {
    hash: (password) => argon2.hash(password),
    verify: ({ hash, password }) => argon2.verify(hash, password),
  },
};

const pins = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).dependencies;

/** Returns the release with this alias in package.json. `differences` are those from the newest release. */
const release = (packageName, differences = {}) => ({
  name: pins[packageName].split("@").at(-1),
  packageName,
  migrations: `${packageName}/db/migration`,
  // Up to 1.6, a credential account is found by its provider alone. From 1.7 on, the user's id must match, too.
  accountId: "user-id",
  // From 1.5 on, the plugin for API keys is a separate package.
  apiKeyPackage: packageName.replace("better-auth-", "better-auth-api-key-"),
  // Up to 1.6, concurrent uses of an API key are counted as one.
  losesUses: false,
  // From 1.6 on, the secondary storage contains the sessions' ids.
  storesIds: true,
  // From 1.6 on, consecutive wrong codes lock a second factor.
  locksSecondFactor: true,
  // From 1.7.6 on, maxPasswordLength also applies to sign-in.
  longestPassword: 128,
  ...differences,
});

const endless = { longestPassword: Infinity };

// The newest release comes last. Tests that need only one release use it.
export const versions = [
  release("better-auth-1-4", {
    ...endless,
    migrations: "better-auth-1-4/db",
    accountId: "email",
    apiKeyPackage: undefined,
    losesUses: true,
    storesIds: false,
    locksSecondFactor: false,
  }),
  release("better-auth-1-6", { ...endless, accountId: "email", losesUses: true }),
  release("better-auth-1-7-2", { ...endless, issuer: true, apiKeyPackage: undefined }),
  release("better-auth-1-7", endless),
  release("better-auth-newest"),
];
export const newest = versions.at(-1);

/** Merges two objects deeply. */
const merged = (base, addition = {}) => {
  const all = { ...base };
  for (const [key, value] of Object.entries(addition))
    all[key] =
      value?.constructor === Object && all[key]?.constructor === Object ? merged(all[key], value) : value;
  return all;
};

/** Returns the name and value in a Set-Cookie header. */
const pairOf = (header) => {
  const pair = header.split(";", 1)[0];
  const equals = pair.indexOf("=");
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
};

export class Application {
  /** Creates an application on this database, with the library's options for its schema style. */
  static async make(version, database, { withoutAdmin = false, extraPlugins = () => [], ...options } = {}) {
    const { betterAuth } = await load(version.packageName);
    const plugins = {
      ...(await load(`${version.packageName}/plugins`)),
      ...(version.apiKeyPackage ? await loadPlugin(version.apiKeyPackage, version.packageName) : {}),
    };
    const { admin, bearer } = plugins;
    const { adminAc, userAc } = await load(`${version.packageName}/plugins/admin/access`);
    const application = new Application();
    application.version = version;
    application.options = merged(
      {
        database: database.connection,
        secret,
        baseURL: origin,
        emailAndPassword: { enabled: true },
        rateLimit: { enabled: false },
        logger: { disabled: true },
        telemetry: { enabled: false },
        plugins: [
          ...(withoutAdmin
            ? []
            : [
                admin({
                  roles: { user: userAc, admin: adminAc, superAdmin: adminAc },
                  adminRoles: ["admin", "superAdmin"],
                }),
              ]),
          bearer(),
          ...extraPlugins(plugins),
        ],
      },
      options,
    );
    application.auth = betterAuth(application.options);
    return application;
  }

  /** Lets the library create its tables. */
  async migrate() {
    const { getMigrations } = await load(this.version.migrations);
    await (await getMigrations(this.options)).runMigrations();
  }

  /** Sends a request to the application. Returns {status, body, headers}. */
  async send(method, path, headers, body) {
    const response = await this.auth.handler(
      new Request(`${this.options.baseURL}/api/auth${path}`, {
        method,
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : JSON.parse(text),
    };
  }

  /** Calls the application as its own pages would. */
  call(method, path, { body, cookie, bearer } = {}) {
    const headers = { origin: this.options.baseURL };
    if (cookie) headers.cookie = cookie;
    if (bearer) headers.authorization = `Bearer ${bearer}`;
    return this.send(method, path, headers, body);
  }

  /** Adds the user, cookie and bearer token to a response that opens a session. */
  #opened(response) {
    if (response.status !== 200) return response;
    const { name, value } = response.headers
      .getSetCookie()
      .map(pairOf)
      .find((pair) => pair.name.endsWith("session_token"));
    return {
      ...response,
      user: response.body.user,
      token: response.body.token,
      cookieName: name,
      cookieValue: value,
      cookie: `${name}=${value}`,
      bearer: response.headers.get("set-auth-token"),
    };
  }

  async signUp(name, email, password, more = {}) {
    return this.#opened(
      await this.call("POST", "/sign-up/email", { body: { name, email, password, ...more } }),
    );
  }

  async signIn(email, password) {
    return this.#opened(await this.call("POST", "/sign-in/email", { body: { email, password } }));
  }

  async session(credentials) {
    return (await this.call("GET", "/get-session", credentials)).body;
  }

  async accepts({ cookie }) {
    return (await this.session({ cookie })) !== null;
  }

  /** Waits until the application no longer accepts the session. Returns false on timeout. */
  ends(session) {
    return eventually(async () => !(await this.accepts(session)));
  }

  /** Returns the users as the admin plugin lists them, in a Map by id. */
  async users(credentials) {
    const { status, body } = await this.call("GET", "/admin/list-users?limit=500", credentials);
    if (status !== 200) throw new Error(`list-users: ${status} ${JSON.stringify(body)}`);
    return new Map(body.users.map((user) => [user.id, user]));
  }
}
