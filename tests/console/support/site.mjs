// An httpd with the console, and users to manage.
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { accountOfChildren, Httpd } from "../../javascript/httpd.mjs";
import { built, run, work } from "../../javascript/machine.mjs";

export const password = "correct horse battery staple";

/** Markup in names that must be shown as text. */
export const hostileNames = [
  `<img src=x onerror="window.hit=1">`,
  `"><script>window.hit=1</script>`,
  `{{base}}</script><svg onload=window.hit=1>`,
];

const day = 86400000;

const people = [
  ["root-1", "Ada Lovelace", "ada@example.com", "superAdmin"],
  ["olivia-1", "Olivia Ortiz", "olivia@example.com", "admin"],
  ["ulises-1", "Ulises Vega", "ulises@example.com", "user"],
  ["jefa-1", "Jefa Principal", "admin@example.com", "superAdmin"],
];
const names = (
  "Marta Núñez,Bruno Díaz,Jonas Weber,Grace Hopper,Alan Turing,Katherine Johnson,Edsger Dijkstra,Barbara Liskov," +
  "Donald Knuth,Radia Perlman,Ken Thompson,Frances Allen,Dennis Ritchie,Margaret Hamilton,Tony Hoare,Adele Goldberg," +
  "Niklaus Wirth,Hedy Lamarr,John Backus,Mary Jackson,Ángel Íñiguez,Sofía Kovalévskaya,Emmy Noether,Maryam Mirzajaní," +
  "Zhang Wei,Yuki Tanaka,Olu Adeyemi,Ingrid Bergström,Paweł Nowak,Lucía Fernández"
).split(",");

export class Site {
  static #started = [];
  #settings;
  #prepare;
  #starting;

  /**
   * A service at a base address and its console at /admin. `directives` and `console` are added to their Locations, `lines` to the
   * configuration. prepare may fill the site.
   */
  constructor({ base = "/api/users", directives = "", console = "", signIn = true, secret = "", hasAuditLog = false, lines = "" } = {}, prepare = () => {}) {
    this.#settings = { base, directives, console, signIn, secret, hasAuditLog, lines };
    this.#prepare = prepare;
  }

  /** Starts the site, unless it has been started before. */
  start() {
    return (this.#starting ??= this.#start());
  }
  static async stopAll() {
    const ends = await Promise.allSettled(Site.#started.map((each) => each.httpd.stop()));
    for (const { reason } of ends) if (reason) throw reason;
  }

  async #start() {
    const { base, directives, console, signIn, secret, hasAuditLog, lines } = this.#settings;
    this.folder = mkdtempSync(join(work, "site-"));
    this.database = join(this.folder, "users.db");
    await this.ctl(["schema"]);
    await this.fill();
    const secretFile = join(this.folder, "secret");
    if (secret) writeFileSync(secretFile, secret, { mode: 0o600 });
    const owner = await accountOfChildren();
    if (owner) await run("chown", [`${owner.user}:${owner.group}`, this.folder, this.database]);
    chmodSync(this.folder, 0o755);
    this.httpd = await Httpd.start(
      `DBDriver sqlite3\nDBDParams "${this.database}"\nDBDMin 0\n` +
        `UserAdminPasswordHash argon2id m=64\n` +
        (hasAuditLog ? `UserAdminAuditLog "${this.folder}/audit.log"\n` : "") +
        (secret ? `AuthUserAdminSecret "file:${secretFile}"\n` : "") +
        `CustomLog "${this.folder}/access.log" "%m %U%q %>s"\n` +
        `<Location "${base}">\nRequire all granted\nAuthUserAdmin On\nUserAdmin On\n` +
        `UserAdminProtectedEmail admin@example.com\n${directives}\n</Location>\n` +
        (signIn
          ? `<Location "/api/auth">\nRequire all granted\nAuthUserAdminSignIn On\nAuthUserAdminSignInLimit 1000000 1\n</Location>\n`
          : "") +
        `<Location "/admin">\nRequire all granted\nSetHandler useradmin-console\n${console}\n</Location>\n` +
        lines,
    );
    Site.#started.push(this);
    await this.#prepare(this);
  }

  get address() {
    return `${this.httpd.address}/admin`;
  }

  async ctl(words, input = "") {
    const { status, output, error } = await run(built("useradminctl"), ["--driver", "sqlite3", "--params", this.database, ...words], input);
    if (status !== 0) throw new Error(`useradminctl ${words.join(" ")}: ${error}`);
    return output;
  }

  /** Imports all users. Their creation times are relative to now. */
  async fill() {
    const now = Date.now();
    const rows = [];
    const add = (id, name, email, role, age, more = {}) =>
      rows.push({
        id, name, email, role, emailVerified: true, password,
        createdAt: new Date(now - age).toISOString(), updatedAt: new Date(now - age).toISOString(), ...more,
      });
    people.forEach(([id, name, email, role], index) => add(id, name, email, role, (400 - index) * day));
    names.forEach((name, index) => {
      const email = `${name.normalize("NFD").replace(/[^A-Za-z ]/g, "").toLowerCase().replace(" ", ".")}@example.org`;
      const more = index % 9 === 4 ? { banned: true, banReason: "spam" } : index % 7 === 3 ? { emailVerified: false } : {};
      add(`user-${index}`, name, email, index === 12 ? "admin" : "user", ((index * index) % 17) * day * 0.9 + index * 60000, more);
    });
    hostileNames.forEach((name, index) => add(`hostile-${index}`, name, `hostile${index}@example.net`, "user", (20 + index) * day, index === 0 ? { banned: true, banReason: name } : {}));
    const file = join(this.folder, "users.ndjson");
    writeFileSync(file, rows.map((row) => JSON.stringify(row)).join("\n") + "\n");
    await this.ctl(["import", file, "--hash", "argon2id m=64", "--force"]);
  }

  /** Gives a user a second factor as the application's plugin does. */
  async addSecondFactor(id, backupCodes = "[]") {
    await this.sql(
      `ALTER TABLE "user" ADD COLUMN "twoFactorEnabled" boolean;
       CREATE TABLE "twoFactor" ("id" text, "secret" text, "backupCodes" text, "userId" text);
       UPDATE "user" SET "twoFactorEnabled" = TRUE WHERE "id" = '${id}'; INSERT INTO "twoFactor" VALUES ('1', 'x', '${backupCodes}', '${id}')`);
  }
  /** Runs SQL statements directly on the database. Returns their output. */
  async sql(statements) {
    const { status, output, error } = await run("sqlite3", ["-cmd", ".timeout 5000", this.database, statements]);
    if (status !== 0) throw new Error(error);
    return output;
  }

  /** Signs a user in with this User-Agent. */
  async openSession(email, agent) {
    const response = await fetch(`${this.httpd.address}/api/auth/sign-in/email`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "User-Agent": agent, Origin: this.httpd.address },
      body: JSON.stringify({ email, password }),
    });
    if (response.status !== 200) throw new Error(`signing in as ${email} came to ${response.status}`);
  }

  /** Returns the stored rows of the users. */
  async users() {
    return (await this.ctl(["export", "-"])).trim().split("\n").map((line) => JSON.parse(line));
  }
  async user(id) {
    return (await this.users()).find((each) => each.id === id);
  }
  async userAt(email) {
    return (await this.users()).find((each) => each.email === email);
  }
}
