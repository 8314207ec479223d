// The cases and their goals. A line is one contender with one request on one database. A goal bounds its rate (requests/s) or
// its p50 (milliseconds), as a number or as a ratio to another line of the case.

const thousand = 1_000;
const million = 1_000_000;

/** The user whose record is read. users.sql creates it identically in every database. */
export const record = {
  id: "961099f8-0edf-5a70-db89-858c9e4210d5",
  name: 'Łucja "Lu" Müller-Nuñez',
  email: "u961099f80edf@correo.example",
  role: "user",
  emailVerified: true,
  image: "https://images.example/777.png",
  createdAt: "2024-03-14T15:09:26.535Z",
  updatedAt: "2025-06-28T03:18:53.071Z",
  banned: false,
  banReason: null,
  banExpires: null,
};

const matches = (text) => `"name" ILIKE '%${text}%' OR "email" ILIKE '%${text}%'`;

/** Returns a request for a list. `where` is the SQL condition for the expected users. Responses are checked with it. */
const list = (query, { caller = "superAdmin", where = "true", ...more } = {}) => ({
  caller,
  path: `/api/users${query}`,
  where,
  ...more,
});
const search = (text) => `?search=${encodeURIComponent(text)}`;

const read = { caller: "superAdmin", path: `/api/users/${record.id}`, isRead: true };
const everybody = list("");
const ofAdmin = list("", { caller: "admin", where: `COALESCE("role", 'user') = 'user'` });
const ofRole = list("?role=user", { where: `COALESCE("role", 'user') = 'user'` });
const ofRareRole = list("?role=admin", { where: `"role" = 'admin'` });
const selective = list(search("Ibáñez-Quiroga"), { where: matches("Ibáñez-Quiroga") });
// The database's ILIKE does not match these spellings; the module does.
const folded = list(search("ZORAIDA IBANEZ"), { where: matches("Zoraida Ibáñez"), isFolded: true });
const ofAdminWithSearch = list(search("Ibáñez-Quiroga"), {
  caller: "admin",
  where: `COALESCE("role", 'user') = 'user' OR ${matches("Ibáñez-Quiroga")}`,
});
// Each word is in thousands of names, but no name has both.
const withoutMatch = list(search("María Kowalski"), { where: matches("María Kowalski") });

/** The request of better-auth's admin client. */
const ofClient = list("", {
  path: "/api/auth/admin/list-users?limit=20&sortBy=createdAt&sortDirection=desc",
  isOfClient: true,
});

const plain = (users) => ({ users });
const scaled = (users) => ({ users, isScaled: true });
const sqlite = (users) => ({ users, isSqlite: true });

const line = (name, contender, database, request, more = {}) => ({
  name,
  contender,
  database,
  request,
  connections: 16,
  bounds: [],
  ...more,
});

const rate = (against, least) => ({ of: "rate", against, least });
const p50 = (against, most) => ({ of: "p50", against, most });
const milliseconds = (most) => ({ of: "p50", most });
const unbounded = (of, against) => ({ of, against });

/** Returns two lines: the same list with few users and with many, on scaled databases. */
const fewAndMany = (title, request, most) => [
  line(`${title}, ${thousand.toLocaleString("en")}`, "notes", scaled(thousand), request),
  line(`${title}, ${million.toLocaleString("en")}`, "notes", scaled(million), request, {
    bounds: [p50(`${title}, ${thousand.toLocaleString("en")}`, most)],
  }),
];

/** The lists without search: the module's on scaled databases, and Fastify's. */
const lists = [
    ["no filter", everybody],
    ["admin's filter", ofAdmin],
    ["role filter", ofRole],
    ["filter by a rare role", ofRareRole],
  ].flatMap(([title, request]) => {
    const [few, all] = fewAndMany(`notes --scale, ${title}`, request, 1.5);
    const fastify = `Fastify, ${title}, ${million.toLocaleString("en")}`;
    all.bounds.push(request === ofRareRole ? unbounded("rate", fastify) : rate(fastify, 200));
    return [few, all, line(fastify, "fastify", plain(million), request)];
  });

const searches = [
  ...fewAndMany("selective search", selective, 2),
  ...fewAndMany("folded search", folded, 2),
  ...fewAndMany("admin with search", ofAdminWithSearch, 2),
  ...fewAndMany("search without a match", withoutMatch, 2),
];

const one = { connections: 1 };

const deepPage = (last) => {
  const page = `page ${last.toLocaleString("en")}`;
  const request = list(`?page=${last}`);
  return [
    line("notes --scale, page 1", "notes", scaled(million), list("?page=1")),
    line(`notes --scale, ${page} by cursor`, "notes", scaled(million), { ...request, isByCursor: true }, {
      bounds: [p50("notes --scale, page 1", 1.2)],
    }),
    line(`notes --scale, ${page}, one caller`, "notes", scaled(million), request, {
      ...one,
      bounds: [milliseconds(200)],
    }),
    line(`notes, ${page}, one caller`, "notes", plain(million), request, one),
  ];
};

/** The sort key of the API, which ignores case and accents. */
const sortKey = (column) =>
  `lower(regexp_replace(normalize("${column}" COLLATE "C", NFKD), E'[\\u0300-\\u036f]', '', 'g'))`;

/** Page 1 and a deep page by cursor, in each order. */
const sorts = (page) =>
  [
    ["createdAt", undefined],
    ["name", `${sortKey("name")}, "id"`],
    ["email", `${sortKey("email")}, "id"`],
    ["updatedAt", '"updatedAt" DESC, "id"'],
  ].flatMap(([sort, order]) => [
    line(`by ${sort}, page 1`, "notes", scaled(million), list(`?sort=${sort}&page=1`, { order })),
    line(
      `by ${sort}, page ${page.toLocaleString("en")} by cursor`,
      "notes",
      scaled(million),
      list(`?sort=${sort}&page=${page}`, { order, isByCursor: true }),
      { bounds: [p50(`by ${sort}, page 1`, 1.2)] },
    ),
  ]);

export const cases = [
  {
    name: "read",
    isShown: true,
    title: "read one user, notes",
    lines: [
      line("constant", "constant", plain(million), read),
      line("apr_dbd", "floor", plain(million), read, { bounds: [unbounded("rate", "constant")] }),
      line("Fastify", "fastify", plain(million), read),
      line("notes", "notes", plain(million), read, { bounds: [rate("apr_dbd", 1), rate("Fastify", 1.6)] }),
      line("notes, SQLite", "notes", sqlite(million), read, { bounds: [unbounded("rate", "apr_dbd")] }),
    ],
  },
  {
    name: "session",
    isShown: true,
    title: "read one user, session cookie",
    lines: [
      line("apr_dbd", "floor", plain(million), read),
      line("Fastify, better-auth", "betterAuth", plain(million), read),
      line("cookie", "session", plain(million), read, {
        // The session lookup is a second statement.
        bounds: [rate("apr_dbd", 0.55), rate("Fastify, better-auth", 5)],
      }),
      line("cookie, AuthUserAdminCache", "cachedSession", plain(million), read, {
        bounds: [rate("apr_dbd", 0.95)],
      }),
      line("cookie, SQLite", "session", sqlite(million), read, { bounds: [unbounded("rate", "apr_dbd")] }),
    ],
  },
  {
    name: "list-1000",
    isShown: true,
    title: "list 20 of 1,000",
    lines: [
      line("apr_dbd, one user", "floor", plain(thousand), read),
      line("Fastify", "fastify", plain(thousand), everybody),
      line("notes", "notes", plain(thousand), everybody, { bounds: [rate("Fastify", 2.2)] }),
      line("notes --scale", "notes", scaled(thousand), everybody, {
        bounds: [rate("apr_dbd, one user", 0.6)],
      }),
      line("notes, SQLite", "notes", sqlite(thousand), everybody, { bounds: [unbounded("rate", "Fastify")] }),
    ],
  },
  { name: "list", isShown: true, title: "list 20 of 1,000,000, --scale", lines: lists },
  {
    name: "admin-client",
    isShown: true,
    title: "list 20 for better-auth's admin client, session cookie",
    lines: [
      line("better-auth, 1,000", "library", plain(thousand), ofClient),
      line("httpd, 1,000", "adminClient", plain(thousand), ofClient),
      line("httpd with both caches, 1,000", "cachedAdminClient", plain(thousand), ofClient, {
        bounds: [rate("better-auth, 1,000", 20)],
      }),
      line("better-auth, 1,000,000", "library", plain(million), ofClient),
      line("httpd --scale, 1,000,000", "adminClient", scaled(million), ofClient),
      line("httpd --scale with both caches, 1,000,000", "cachedAdminClient", scaled(million), ofClient, {
        bounds: [rate("better-auth, 1,000,000", 500)],
      }),
    ],
  },
  {
    name: "search",
    title: "search 1,000,000, --scale",
    lines: [
      ...searches,
      line("Fastify, selective search", "fastify", plain(million), selective, one),
      line("notes, SQLite, folded search", "notes", sqlite(million), folded, one),
    ],
  },
  { name: "page", title: "page 25,000 of 50,000", lines: deepPage(25_000) },
  {
    name: "sorts",
    title: "list 20 of 1,000,000 in another order, --scale",
    lines: sorts(25_000),
  },
  {
    name: "plain",
    isShown: true,
    title: "list 20 of 1,000,000, without --scale",
    lines: [
      line("notes, one caller", "notes", plain(million), everybody, { ...one, bounds: [milliseconds(30)] }),
      line("UserAdminTotalCache, one caller", "cachedTotals", plain(million), everybody, {
        ...one,
        bounds: [milliseconds(2)],
      }),
      line("notes, selective search, one caller", "notes", plain(million), selective, {
        ...one,
        bounds: [milliseconds(700)],
      }),
      line("notes, 16 callers", "notes", plain(million), everybody),
      line("UserAdminTotalCache, 16 callers", "cachedTotals", plain(million), everybody),
      line("Fastify, 16 callers", "fastify", plain(million), everybody),
      line("notes, SQLite, one caller", "notes", sqlite(million), everybody, one),
    ],
  },
  { name: "creates", title: "creates" },
  { name: "creates-scale", title: "creates with --scale" },
  { name: "audit", title: "the audit log" },
  { name: "bans", title: "bans that end sessions in Redis" },
  // Measured only if named, because it creates 10,000,000 users.
  { name: "sizing", title: "httpds with a tenth of a processor each, --scale", isOnlyIfNamed: true },
];
