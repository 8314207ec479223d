// Runs better-auth's admin client against the library and against this httpd, with equal databases. Compares the responses
// and the resulting rows.
import assert from "node:assert/strict";

import { Application, newest, origin, secret, versions } from "./support/applications.mjs";
import { attributesOf, openBrowser } from "./support/browser.mjs";
import { describeSite } from "./support/checks.mjs";
import { Database, SqliteDatabase } from "./support/database.mjs";
import { load } from "./support/machine.mjs";
import { asMigrated, sqliteStyle } from "./support/styles.mjs";

// The permissions of the library's admin role.
const actions =
  "user:create user:list user:set-role user:ban user:impersonate user:delete user:set-password user:set-email " +
  "user:set-phone user:get user:update session:list session:revoke session:delete";

const directives = `<Location "/api/auth/admin">
  Require all granted
  AuthUserAdmin On
  AuthUserAdminSecret "${secret}"
  UserAdminPasswordHash scrypt
  SetHandler useradmin-better-auth
  UserAdminBetterAuthRole admin ${actions}
  UserAdminBetterAuthTokens On
</Location>
`;

const withOwnRoles = (style) => ({
  ...style,
  hash: "scrypt",
  options: { ...style.options, withoutAdmin: true, extraPlugins: ({ admin }) => [admin()] },
});

/** Generates the same pseudo-random numbers from 0 to 1 in each run (mulberry32). */
const randomNumbers = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};

/** Replaces each string and date in the value, at any depth. */
const mapTexts = (value, map) => {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, map));
  if (value instanceof Date) return map(value.toISOString());
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapTexts(part, map)]));
};

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

class Comparison {
  static async open(site) {
    const comparison = new Comparison();
    const database = await (site.style.isOnSqlite ? SqliteDatabase : Database).make();
    const library = await Application.make(site.version, database, site.style.options);
    await library.migrate();
    for (const table of ["user", "account", "session"])
      for (const row of await site.database.rows(`SELECT * FROM "${table}"`)) {
        const names = Object.keys(row);
        const places = names.map((_, at) => `$${at + 1}`);
        await database.rows(
          `INSERT INTO "${table}" (${names.map((name) => `"${name}"`)}) VALUES (${places})`,
          Object.values(row),
        );
      }
    const { createAuthClient } = await load(`${site.version.packageName}/client`);
    const { adminClient } = await load(`${site.version.packageName}/client/plugins`);
    const side = (address, sides, options) => {
      const here = { database: sides };
      here.client = createAuthClient({
        baseURL: `${address}/api/auth`,
        plugins: [adminClient()],
        fetchOptions: {
          ...options,
          onRequest: ({ headers }) => {
            headers.set("origin", address);
            if (comparison.cookie) headers.set("cookie", comparison.cookie);
          },
          onResponse: ({ response }) => void (here.response = response.clone()),
        },
      });
      return here;
    };
    // First the library, then httpd.
    comparison.sides = [
      side(origin, database, {
        customFetchImpl: (url, request) => library.auth.handler(new Request(url, request)),
      }),
      side(site.httpd.address, site.database, {}),
    ];
    comparison.close = () => database.close();
    return comparison;
  }

  /** Pairs of corresponding ids: [library's, httpd's]. */
  pairs = [];

  async #ask(side, name, argument) {
    const mapped = mapTexts(argument, (text) => this.pairs.find((pair) => pair[0] === text)?.[side] ?? text);
    const here = this.sides[side];
    const { data, error } = await here.client.admin[name](mapped);
    const { status, headers } = here.response;
    return { status, type: headers.get("content-type"), text: await here.response.text(), data, error };
  }

  /** Records which ids and tokens of the two responses correspond, except those that the call has set. */
  #pair(one, other, argument) {
    if (one === null || typeof one !== "object") return;
    for (const [name, mine] of Object.entries(one)) {
      const theirs = other?.[name];
      if (!/^(id|token)$/.test(name)) this.#pair(mine, theirs, argument);
      else if (typeof theirs === "string" && mine !== theirs && mine !== argument.data?.id && !this.pairs.some((pair) => pair[0] === mine))
        this.pairs.push([mine, theirs]);
    }
  }

  #comparable(side, { text, data, error, ...answer }) {
    const common = (value) =>
      mapTexts(value, (each) =>
        isTime.test(each) ? "(a time)" : (this.pairs.find((pair) => pair[side] === each)?.[0] ?? each),
      );
    const body = text === "" ? "" : common(JSON.parse(text));
    // The library's Response has no status text.
    const { statusText, ...problem } = error ?? {};
    return { ...answer, body, data: common(data), error: common(problem) };
  }

  /** Makes a call on both sides and compares the responses. Returns the library's response. */
  async call(name, argument, cookie) {
    this.cookie = cookie;
    const [there, here] = [await this.#ask(0, name, argument), await this.#ask(1, name, argument)];
    // The databases may order rows with equal values differently.
    if (name === "listUsers" && !/^(createdAt|updatedAt|email|id)$/.test(argument.query.sortBy))
      for (const answer of [there, here]) {
        answer.data?.users.sort((one, other) => (one.email < other.email ? -1 : 1));
        if (answer.data) answer.text = JSON.stringify(answer.data);
      }
    this.#pair(there.data, here.data, argument);
    assert.deepEqual(
      this.#comparable(1, here),
      this.#comparable(0, there),
      `${name} ${JSON.stringify(argument)} (expected is the library's)`,
    );
    return there;
  }

  /** Returns the rows of one side without ids, hashes and times, which always differ. */
  async #rows({ database }) {
    const users = await database.rows('SELECT * FROM "user" ORDER BY "email"');
    const emails = new Map(users.map(({ id, email }) => [id, email]));
    const accounts = await database.rows('SELECT "userId", "accountId", "providerId", "password" FROM "account"');
    const sessions = await database.rows('SELECT "userId", "impersonatedBy" FROM "session"');
    const sorted = (rows) => rows.map((row) => JSON.stringify(row)).toSorted();
    return {
      users: users.map(({ id, createdAt, updatedAt, banExpires, ...user }) => ({ ...user, isBannedFor: !!banExpires })),
      accounts: sorted(
        accounts.map(({ userId, accountId, providerId, password }) => ({
          user: emails.get(userId),
          isById: accountId === userId,
          providerId,
          hasPassword: !!password,
        })),
      ),
      sessions: sorted(sessions.map(({ userId, impersonatedBy }) => [emails.get(userId), emails.get(impersonatedBy)])),
    };
  }

  async compareRows() {
    assert.deepEqual(await this.#rows(this.sides[1]), await this.#rows(this.sides[0]));
  }
}

/** Generates calls that a page could make, valid and invalid ones. */
class Calls {
  /** `longestPassword` is Infinity if the library creates users with passwords of any length. */
  constructor(seed, users, sessions, longestPassword) {
    this.longestPassword = longestPassword;
    this.number = randomNumbers(seed);
    this.users = users;
    this.sessions = sessions;
    this.made = 0;
  }
  one(values) {
    return values[Math.floor(this.number() * values.length)];
  }
  chance(part) {
    return this.number() < part;
  }
  /** Usually returns the value, sometimes one of another type. */
  perhaps(value, part = 0.9) {
    return this.chance(part) ? value : this.one([undefined, null, 5, true, "", ["a"], { a: 1 }]);
  }
  userId() {
    return this.chance(0.85) ? this.one(this.users).id : this.one(["nope", undefined, null, 7, "", ["x"], {}]);
  }
  email() {
    return this.chance(0.6)
      ? `Neu${++this.made}@Example.ORG`
      : this.one([this.one(this.users).email, "no address", "a@b", "ä@example.org", "a..b@example.org", 5, null]);
  }
  role() {
    return this.one(["user", "admin", "editor", "user,admin", ["user", "admin"], ["editor"], [], "", 5, null, [5]]);
  }
  password(longest = 128) {
    return this.one(["long enough 1", "contraseña ñ", "short", "", "x".repeat(longest < 129 ? 129 : 128), "x".repeat(128), 12345678, null]);
  }
  /** `fixed` are the columns that the call cannot set. */
  data(fixed) {
    const data = {};
    const members = {
      name: () => this.one(["Ana B", "Łukasz", "", "<b>"]),
      image: () => this.one(["https://example.org/i.png", null]),
      email: () => this.email(),
      emailVerified: () => this.one([true, false]),
      role: () => this.role(),
      banned: () => this.one([true, false]),
      banReason: () => this.one(["spam", null]),
      banExpires: () => this.one(["2999-01-01T00:00:00.000Z", null]),
      nope: () => 1,
      phoneNumber: () => "1",
    };
    for (const name of Object.keys(members)) if (this.chance(0.2)) data[name] = members[name]();
    if (this.chance(0.05)) data[this.one(fixed)] = "x";
    return data;
  }
  /** Returns the query of a list. If the sort key leaves the order undefined, the page contains all users. */
  query() {
    const query = { limit: this.one([2, 5, 100, "100", 0, "abc", 1000]), sortBy: "createdAt" };
    if (this.chance(0.3)) query.offset = this.one([1, 3, "2", 0, "x", 1000]);
    if (this.chance(0.4))
      query.sortBy = this.one(["createdAt", "updatedAt", "email", "id", "role", "banned", "banReason", "nope", ""]);
    if (query.sortBy === "" || /^(role|banned|banReason)$/.test(query.sortBy)) Object.assign(query, { limit: 500, offset: 0 });
    if (this.chance(0.5)) query.sortDirection = this.one(["asc", "desc", "up"]);
    if (this.chance(0.5)) {
      query.searchValue = this.one(["an", "Ana", "EXAMPLE", "neu1", "@", "zzz", "", "org", "b"]);
      if (this.chance(0.6)) query.searchField = this.one(["email", "name", "role"]);
      if (this.chance(0.6)) query.searchOperator = this.one(["contains", "starts_with", "ends_with", "like"]);
    }
    if (this.chance(0.6)) {
      const [field, values] = this.one([
        ["role", ["admin", "user", "editor", "user,admin"]],
        ["banned", ["true", "false", true]],
        ["emailVerified", ["true", "false"]],
        ["email", ["ana@example.org", "Ana@example.org", "b"]],
        ["name", ["Ana", "Bob", "ana"]],
        ["createdAt", ["2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z", "no time"]],
        ["banReason", ["spam", "No reason", ""]],
        ["id", [this.one(this.users).id, "nope"]],
        ["image", ["https://example.org/i.png"]],
        ["nope", ["x"]],
      ]);
      query.filterField = field;
      // The library does not distinguish booleans in a list from strings.
      const isList = this.chance(0.2) && field !== "emailVerified" && field !== "banned";
      query.filterValue = isList ? [this.one(values), this.one(values)] : this.one(values);
      if (this.chance(0.8))
        query.filterOperator = this.one([..."eq ne lt lte gt gte in not_in contains starts_with ends_with nope".split(" ")]);
      if (this.chance(0.1)) delete query.filterField;
    }
    return query;
  }
  next() {
    const userId = this.userId();
    return this.one([
      () => ["listUsers", { query: this.query() }],
      () => ["listUsers", { query: this.query() }],
      () => ["listUsers", { query: this.query() }],
      () => ["getUser", { query: this.chance(0.9) ? { id: typeof userId === "string" ? userId : "x" } : {} }],
      () => [
        "createUser",
        {
          email: this.email(),
          name: this.perhaps("Neu"),
          password: this.chance(0.3) ? undefined : this.password(this.longestPassword),
          role: this.chance(0.5) ? undefined : this.role(),
          data: this.chance(0.5) ? undefined : this.perhaps(this.data(["password"])),
        },
      ],
      () => ["updateUser", { userId, data: this.perhaps(this.data(["password", "id"])) }],
      () => ["setRole", { userId, role: this.role() }],
      () => [
        "banUser",
        {
          userId,
          banReason: this.chance(0.5) ? undefined : this.perhaps("spam"),
          banExpiresIn: this.chance(0.5) ? undefined : this.one([3600, 0, -5, 0.5, "60", null]),
        },
      ],
      () => ["unbanUser", { userId }],
      () => ["removeUser", { userId }],
      () => ["setUserPassword", { userId, newPassword: this.password() }],
      () => ["listUserSessions", { userId }],
      () => ["revokeUserSession", { sessionToken: this.perhaps(this.one([...this.sessions, "nope"])) }],
      () => ["revokeUserSessions", { userId }],
      () => [
        "hasPermission",
        this.one([
          { permissions: { user: ["create", "list"] } },
          { permissions: { user: ["impersonate-admins"] } },
          { permissions: { session: ["revoke"], user: ["ban"] } },
          { permissions: { project: ["create"] } },
          { permissions: { user: [] } },
          { permissions: {} },
          { permissions: { user: "list" } },
          { permission: { user: ["list"] } },
          { permission: { user: ["list"] }, permissions: { user: ["list"] } },
          { permissions: { user: ["list"] }, role: 5, userId: 5 },
          {},
        ]),
      ],
    ])();
  }
}

const count = 400;

const tests = (check) =>
  check(`${count} calls have the same effects as in the library`, async (site) => {
    const sessions = [];
    for (const name of ["Ana", "Bob", "Carla", "Dora", "Edu", "Fay", "Gus"]) {
      const email = `${name.toLowerCase()}@example.org`;
      sessions.push(site.trackSession(await site.application.signUp(name, email, "contraseña larga")));
    }
    await site.database.rows('UPDATE "user" SET "role" = \'admin\' WHERE "id" = $1', [site.root.user.id]);
    const comparison = await Comparison.open(site);
    try {
      const calls = new Calls(29, [site.root, ...sessions].map(({ user }) => user), sessions.map(({ token }) => token), site.version.longestPassword);
      for (let made = 0; made < count; ++made) {
        const [name, argument] = calls.next();
        // Do not change the caller's own account.
        const isOfRoot = JSON.stringify(argument).includes(site.root.user.id);
        const changes = /^(updateUser|setRole|setUserPassword|revokeUserSessions)$/.test(name);
        if (isOfRoot && changes) continue;
        const cookie = calls.chance(0.9) ? site.root.cookie : calls.one([undefined, sessions[0].cookie]);
        const { data } = await comparison.call(name, argument, cookie);
        const user = data?.user ?? (name === "updateUser" ? data : undefined);
        if (name === "createUser" && user) calls.users.push(user);
        if (made % 20 === 0) await comparison.compareRows();
      }
      await comparison.compareRows();
    } finally {
      await comparison.close();
    }
  });

const impersonationTests = (check) => {
  /** Makes root an admin of the library. Returns a browser and two other accounts, a user and an admin. */
  const open = async (site) => {
    const { adminClient } = await load(`${site.version.packageName}/client/plugins`);
    await site.database.rows('UPDATE "user" SET "role" = \'admin\' WHERE "id" = $1', [site.root.user.id]);
    const people = [];
    for (const role of ["user", "admin"]) {
      const person = { name: role, email: `${role}.${crypto.randomUUID()}@example.org`, password: "contraseña larga" };
      const { user } = site.trackSession(await site.application.signUp(person.name, person.email, person.password));
      await site.database.rows('UPDATE "user" SET "role" = $1 WHERE "id" = $2', [role, user.id]);
      people.push(user);
    }
    return { browser: await openBrowser(site, [adminClient()]), user: people[0], admin: people[1] };
  };
  const signIn = async (site, { there }, rememberMe) => {
    const { error } = await there.signIn.email({ email: "raiz@example.org", password: "contraseña de raíz", rememberMe });
    assert.equal(error, null);
  };
  /** Returns the names and attributes of the last response's cookies. */
  const cookiesOf = ({ responses }) => attributesOf(responses.at(-1).headers);
  const hasBearer = ({ responses }) => responses.at(-1).headers.has("set-auth-token");

  for (const rememberMe of [true, false])
    for (const [beginning, ending] of [["here", "here"], ["here", "there"], ["there", "here"]])
      check(
        `a session that ${rememberMe ? "is remembered" : "ends with the browser"} impersonates ${beginning} and stops ${ending}`,
        async (site) => {
          const { browser, user } = await open(site);
          await signIn(site, browser, rememberMe);
          const { data: before } = await browser.there.getSession();
          const begun = await browser[beginning].admin.impersonateUser({ userId: user.id });
          assert.equal(begun.error, null, JSON.stringify(begun.error));
          assert.deepEqual([begun.data.user.id, begun.data.session.impersonatedBy], [user.id, site.root.user.id]);
          const { data: during } = await browser.there.getSession();
          assert.deepEqual([during.user.id, during.session.impersonatedBy], [user.id, site.root.user.id]);
          assert.ok(new Date(during.session.expiresAt) - Date.now() < 3_600_001);
          const ended = await browser[ending].admin.stopImpersonating();
          assert.equal(ended.error, null, JSON.stringify(ended.error));
          const { data: after } = await browser.there.getSession();
          assert.deepEqual([after.user.id, after.session.id], [site.root.user.id, before.session.id]);
          const rows = await site.database.rows('SELECT "id" FROM "session" WHERE "id" = $1', [during.session.id]);
          assert.deepEqual(rows, []);
        },
      );

  check("its cookies and bearer header are the library's", async (site) => {
    const { browser, user } = await open(site);
    const steps = {};
    for (const side of ["here", "there"]) {
      await signIn(site, browser);
      const { data: begun } = await browser[side].admin.impersonateUser({ userId: user.id });
      const cookies = [cookiesOf(browser)];
      const bearers = [hasBearer(browser)];
      const { data: ended } = await browser[side].admin.stopImpersonating();
      cookies.push(cookiesOf(browser));
      bearers.push(hasBearer(browser));
      // Earlier releases do not change this cookie.
      if (site.version !== newest) cookies[1].delete("better-auth.dont_remember");
      const members = [begun, ended].map((data) => [data, data.session, data.user].map((each) => Object.keys(each).toSorted()));
      steps[side] = { cookies, bearers, members };
    }
    assert.deepEqual(steps.here, steps.there);
  });

  check("is rejected as by the library", async (site) => {
    const { browser, user, admin } = await open(site);
    const rejections = {};
    for (const side of ["here", "there"]) {
      browser.jar.clear();
      const code = ({ error }) => [error?.status, error?.code, error?.message];
      rejections[side] = [
        code(await browser[side].admin.impersonateUser({ userId: user.id })),
        code(await browser[side].admin.stopImpersonating()),
      ];
      await signIn(site, browser);
      rejections[side].push(
        code(await browser[side].admin.stopImpersonating()),
        code(await browser[side].admin.impersonateUser({ userId: "nope" })),
        code(await browser[side].admin.impersonateUser({})),
        code(await browser[side].admin.impersonateUser({ userId: admin.id })),
      );
      await site.database.rows('UPDATE "user" SET "banned" = TRUE WHERE "id" = $1', [user.id]);
      rejections[side].push(code(await browser[side].admin.impersonateUser({ userId: user.id })));
      await site.database.rows('UPDATE "user" SET "banned" = FALSE WHERE "id" = $1', [user.id]);
      await browser[side].admin.impersonateUser({ userId: user.id });
      rejections[side].push(code(await browser[side].admin.impersonateUser({ userId: user.id })));
      browser.jar.delete("better-auth.admin_session");
      rejections[side].push(code(await browser[side].admin.stopImpersonating()));
    }
    assert.deepEqual(rejections.here, rejections.there);
  });
};

for (const version of versions.filter(({ name }) => name === "1.6.34" || name === "1.7.3" || name === newest.name))
  for (const style of version === newest ? [asMigrated, sqliteStyle] : [asMigrated])
    describeSite("the admin client", version, withOwnRoles(style), (check) => { tests(check); impersonationTests(check); }, { directives });
