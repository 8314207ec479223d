// An application, its database and an httpd.
import assert from "node:assert/strict";

import { Application, argon2idPasswords, secret } from "./applications.mjs";
import { Database, SqliteDatabase } from "./database.mjs";
import { Httpd } from "../../javascript/httpd.mjs";
import { built, run } from "./machine.mjs";

const users = (path, directives) =>
  `<Location "${path}">\n  Require all granted\n  AuthUserAdmin On\n  UserAdmin On\n${directives}</Location>\n`;

const signed = `  AuthUserAdminSecret "${secret}"\n`;

/** Returns the directives of a service for an application of this release with these password hashes. */
export const service = (path, version, hash) =>
  users(
    path,
    `${signed}  UserAdminAccountId ${version.accountId}\n  UserAdminEmailCase lower\n  UserAdminPasswordHash ${hash}\n`,
  );

const locations = (version, style) =>
  '<Location "/">\n  Require all granted\n</Location>\n' +
  service("/api/users", version, style.hash ?? "argon2id") +
  users("/prefixed/users", `${signed}  AuthUserAdminCookie my-app.session_token\n`) +
  users("/ending/users", `${signed}  UserAdminEndSessions On\n  UserAdminExtras On\n`) +
  users("/cleaning/users", `${signed}  UserAdminCleanUp On\n`);

let people = 0;

/** Returns the fields of a new user for a create request. */
export const newUserFields = (more = {}) => {
  const number = ++people;
  return {
    name: `Persona ${number}`,
    email: `persona.${number}@example.org`,
    password: `contraseña ${number}`,
    role: "user",
    ...more,
  };
};

export const elevenFields = [
  "id", "name", "email", "role", "emailVerified", "image", "createdAt", "updatedAt",
  "banned", "banReason", "banExpires",
];

/** Returns the eleven fields of a library record as this service writes them. */
export const asServiceRecord = (user) => ({
  id: user.id,
  name: user.name,
  email: user.email,
  role: user.role ?? "user",
  emailVerified: user.emailVerified,
  image: user.image ?? null,
  createdAt: user.createdAt,
  updatedAt: user.updatedAt,
  banned: user.banned ?? false,
  banReason: user.banReason ?? null,
  banExpires: user.banExpires ?? null,
});

export class Site {
  /** Creates the tables, starts httpd and signs up the first superAdmin. */
  static async open(version, style, directives = "", runsSchema = false) {
    const site = new Site();
    try {
      await site.#open(version, style, directives, runsSchema);
      return site;
    } catch (failure) {
      await site.close().catch(() => {});
      throw failure;
    }
  }

  async #open(version, style, directives, runsSchema) {
    this.version = version;
    this.style = style;
    this.database = await (style.isOnSqlite ? SqliteDatabase : Database).make();
    this.application = await this.openApplication();
    if (style.create) await this.database.run(style.create);
    else await this.application.migrate();
    if (runsSchema) {
      const database = ["--driver", this.database.driver, "--params", this.database.params];
      const { status, error } = await run(built("useradminctl"), [...database, "schema"]);
      assert.equal(status, 0, error);
    }
    this.httpd = await Httpd.start(
      `DBDriver ${this.database.driver}\nDBDParams "${this.database.params}"\nDBDMin 0\nDBDKeep 2\nDBDMax 8\n` +
        (style.directives ?? "") +
        locations(version, style) +
        (typeof directives === "function" ? await directives(this) : directives),
    );
    this.log = this.httpd.log;
    this.log.addSecret(secret);
    if (style.alter) await this.database.run(style.alter);
    this.root = this.trackSession(
      await this.application.signUp("Raíz", "raiz@example.org", "contraseña de raíz"),
    );
    assert.equal(this.root.status, 200, JSON.stringify(this.root.body));
    if (!style.options?.withoutAdmin) await this.promoteRoot();
  }

  async promoteRoot() {
    await this.database.rows(
      `UPDATE "${this.style.users ?? "user"}" SET "role" = 'superAdmin' WHERE "id" = $1`,
      [this.root.user.id],
    );
  }

  /** Returns an application with other options on the same database. */
  async openApplication(options = {}) {
    const { adapter, hash } = this.style;
    const passwords = hash === "scrypt" ? {} : { emailAndPassword: { enabled: true, ...argon2idPasswords } };
    const database = adapter ? { database: await adapter(this.version, this.database) } : {};
    return Application.make(this.version, this.database, {
      ...passwords,
      ...database,
      ...this.style.options,
      ...options,
    });
  }

  /** Fails the test if the error log contains the session's secrets. */
  trackSession(session) {
    for (const part of [session.token, session.cookieValue, session.bearer]) this.log.addSecret(part);
    return session;
  }

  /** Sends a request to this httpd, by default as the superAdmin. Returns {status, body, headers}. */
  async send(method, path, { body, as = this.root, headers = {} } = {}) {
    const response = await fetch(`${this.httpd.address}${path}`, {
      method,
      headers: { ...(as?.cookie ? { cookie: as.cookie } : {}), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  /** Creates a user with httpd. Returns the record with the password that was sent. */
  async createUser(person = newUserFields(), path = "/api/users") {
    this.log.addSecret(person.password);
    const { status, body } = await this.send("POST", path, { body: person });
    assert.deepEqual({ status, success: body.success }, { status: 200, success: true }, JSON.stringify(body));
    return { ...body.data, password: person.password };
  }

  async signIn(person, application = this.application) {
    const session = await application.signIn(person.email, person.password);
    assert.equal(session.status, 200, `sign-in to the application: ${JSON.stringify(session.body)}`);
    return this.trackSession(session);
  }

  /** Creates a user with httpd, and signs it in to the application. */
  async createSignedInUser(person) {
    const user = await this.createUser(person);
    return { user, session: await this.signIn(user) };
  }

  async recordAtService(id, as = this.root) {
    const { status, body } = await this.send("GET", `/api/users/${id}`, { as });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  }

  async change(id, body, path = "/api/users") {
    const response = await this.send("PUT", `${path}/${id}`, { body });
    assert.equal(response.status, 200, JSON.stringify(response.body));
    return response.body.data;
  }

  /** Returns the statuses of reading the caller's own record and of listing. */
  async accessStatuses(id, as) {
    return [
      (await this.send("GET", `/api/users/${id}`, { as })).status,
      (await this.send("GET", "/api/users", { as })).status,
    ];
  }

  async callAdminAtApplication(path, body) {
    const response = await this.application.call("POST", `/admin/${path}`, { body, cookie: this.root.cookie });
    assert.equal(response.status, 200, `${path} of the application: ${JSON.stringify(response.body)}`);
    return response.body;
  }

  async recordAtApplication(id) {
    return (await this.application.users({ cookie: this.root.cookie })).get(id);
  }

  ctl(words, input) {
    return run(built("useradminctl"), ["--config", this.httpd.configuration, ...words], input);
  }

  /** Registers a function to call before the servers stop. */
  beforeClose(action) {
    this.closing.push(action);
  }

  closing = [];

  async close() {
    for (const action of this.closing) await action();
    try {
      await this.httpd?.stop();
    } finally {
      await this.database?.close();
    }
  }
}
