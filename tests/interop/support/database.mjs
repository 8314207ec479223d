// A site's database, in the launcher's PostgreSQL or in an SQLite file.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { load, postgresqlProgram, run, socket, work } from "./machine.mjs";

const { default: pg } = await load("pg");

let made = 0;

const connect = (database) => new pg.Pool({ host: socket, user: "useradmin", database, max: 4 });

export class Database {
  driver = "pgsql";

  static async make() {
    const name = `site_${++made}`;
    const server = connect("postgres");
    await server.query(`CREATE DATABASE ${name}`);
    await server.end();
    return new Database(name);
  }

  constructor(name) {
    this.name = name;
    this.pool = connect(name);
    // Dropping the database terminates idle connections with an error.
    this.pool.on("error", () => {});
  }

  /** The library's `database` option. */
  get connection() {
    return this.pool;
  }

  /** The DBDParams of the database. */
  get params() {
    return `host=${socket} dbname=${this.name} user=useradmin connect_timeout=30`;
  }

  async rows(sql, values) {
    return (await this.pool.query(sql, values)).rows;
  }

  async run(...statements) {
    for (const statement of statements) await this.pool.query(statement);
  }

  /** Returns a dump of the database as SQL. */
  async dump() {
    const { status, output, error } = await run(postgresqlProgram("pg_dump"), [
      "--host",
      socket,
      "--username",
      "useradmin",
      "--exclude-table=useradmin_*",
      this.name,
    ]);
    if (status !== 0) throw new Error(`pg_dump failed: ${error}`);
    // These two lines contain a random string that differs in each dump.
    return output.replace(/^\\(un)?restrict .*\n/gm, "");
  }

  async close() {
    await this.pool.end();
    const server = connect("postgres");
    await server.query(`DROP DATABASE ${this.name} WITH (FORCE)`);
    await server.end();
  }
}

export class SqliteDatabase {
  driver = "sqlite3";

  static async make() {
    return new SqliteDatabase(join(work, `sqlite-${++made}`));
  }

  /** Creates the directory and the file, writable for httpd's children. */
  constructor(folder) {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    this.params = join(folder, "users.db");
    this.connection = new DatabaseSync(this.params, { timeout: 30000 });
    this.connection.exec("PRAGMA user_version = 1");
    chmodSync(this.params, 0o666);
  }

  async rows(sql, values = []) {
    return this.connection.prepare(sql.replace(/\$\d+/g, "?")).all(...values);
  }

  async run(...statements) {
    for (const statement of statements) this.connection.exec(statement);
  }

  async close() {
    this.connection.close();
  }
}
