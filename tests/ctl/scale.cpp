#include "scale.hpp"

#include <apr_dbd.h>

#include <algorithm>

namespace useradmin::test {

namespace {

/// What gives where the counts by all, by month and by day are not those of the users.
constexpr const char* wrong_counts = R"sql(
WITH wanted AS (
    SELECT v.span, v.start, coalesce(u.role, 'user') COLLATE "C" AS role, count(*) AS number
    FROM "user" u CROSS JOIN LATERAL (VALUES
        (0, '-infinity'::date), (1, date_trunc('month', u."createdAt" AT TIME ZONE 'UTC')::date),
        (2, (u."createdAt" AT TIME ZONE 'UTC')::date)) AS v (span, start)
    GROUP BY 1, 2, 3
), kept AS (
    SELECT span, start, role, sum(number) AS number FROM useradmin_public_user.counts
    GROUP BY 1, 2, 3 HAVING sum(number) <> 0
)
SELECT count(*) FROM wanted FULL JOIN kept USING (span, start, role)
WHERE wanted.number IS DISTINCT FROM kept.number)sql";

constexpr const char* wrong_rows = R"sql(
SELECT count(*) FROM "user" u FULL JOIN useradmin_public_user.users s ON s.id = u.id
WHERE u.id IS NULL OR s.id IS NULL OR s.created <> u."createdAt" OR s.role <> coalesce(u.role, 'user')
    OR s.folded <> useradmin_public_user.fold(u.name) || E'\x01' || useradmin_public_user.fold(u.email))sql";

/// What gives where marks and changes together do not have the users of a stretch of an order, by
/// role. The condition is that one lies before another one in the order.
std::string wrong_marks(const std::string& order, const std::string& key,
                        const std::string& direction) {
    const auto before = [&](const std::string& one, const std::string& key, const std::string& id) {
        return "(" + one + ".key " + (direction.empty() ? "< " : "> ") + key + " OR " + one +
               ".key = " + key + " AND " + one + ".id < " + id + ")";
    };
    const auto in_stretch = [&](const std::string& one) {
        return "(m.is_first OR NOT " + before(one, "m.key", "m.id") +
               ") AND (m.next_id IS NULL OR " + before(one, "m.next_key", "m.next_id") + ")";
    };
    const std::string place = "(ORDER BY is_first DESC, key " + direction + ", id)";
    return "WITH u AS MATERIALIZED (SELECT " + key +
           " AS key, id, coalesce(role, 'user') COLLATE \"C\" AS role FROM \"user\"), c AS "
           "MATERIALIZED (SELECT " +
           order +
           " AS key, id, role, number FROM useradmin_public_user.changes), m AS MATERIALIZED "
           "(SELECT *, row_number() OVER " +
           place + " AS place, lead(key) OVER " + place + " AS next_key, lead(id) OVER " + place +
           " AS next_id FROM useradmin_public_user." + order +
           ") SELECT (SELECT count(*) FROM (SELECT place, role FROM (SELECT m.place, u.role, 1 AS "
           "number FROM m JOIN u ON " +
           in_stretch("u") + " UNION ALL SELECT m.place, c.role, -c.number FROM m JOIN c ON " +
           in_stretch("c") +
           " UNION ALL SELECT m.place, n.role, -n.number FROM m CROSS JOIN unnest(m.roles, "
           "m.numbers) AS n (role, number)) AS a GROUP BY place, role HAVING sum(number) <> 0) AS "
           "w) + (SELECT count(*) FROM m WHERE number <> coalesce((SELECT sum(n) FROM "
           "unnest(numbers) AS n), 0)) + (SELECT abs(count(*) - 1) FROM m WHERE is_first)";
}

} // namespace

const std::array<SortedBy, 3> sorted_by = {{
    {store::SortKey::name, "by_name",
     "lower(regexp_replace(normalize(name COLLATE \"C\", NFKD), E'[\\u0300-\\u036f]', '', 'g'))",
     ""},
    {store::SortKey::email, "by_email",
     "lower(regexp_replace(normalize(email COLLATE \"C\", NFKD), E'[\\u0300-\\u036f]', '', 'g'))",
     ""},
    {store::SortKey::updated_at, "by_update", "\"updatedAt\"", "DESC"},
}};

Session::Session(const std::string& params, const std::string& more)
    : connection_(PQconnectdb((params + " " + more).c_str())) {
    if (is_lost())
        give_up("no connection: " + error());
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
}

std::string Session::run(const std::string& statements) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection_.get(), statements.c_str()), PQclear);
    const auto status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        return "";
    const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    return state != nullptr ? state : "lost";
}

std::string Session::value(const std::string& query) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection_.get(), query.c_str()), PQclear);
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK)
        give_up("SQL failed: " + query + "\n" + error());
    if (PQntuples(result.get()) == 0 || PQgetisnull(result.get(), 0, 0) != 0)
        return "(null)";
    return PQgetvalue(result.get(), 0, 0);
}

long Session::number(const std::string& query) {
    return std::strtol(value(query).c_str(), nullptr, 10);
}

OpenStore::OpenStore(const std::string& params, const std::string& more,
                     const store::TableNames& names, store::Totals* totals)
    : names_(names) {
    apr_pool_create(&pool_, nullptr);
    connection_.pool = pool_;
    apr_dbd_get_driver(pool_, "pgsql", &connection_.driver);
    const char* error = nullptr;
    if (apr_dbd_open_ex(connection_.driver, pool_, (params + " " + more).c_str(),
                        &connection_.handle, &error) != APR_SUCCESS)
        give_up(std::string("no connection: ") + (error != nullptr ? error : ""));
    apr_pool_cleanup_register(
        pool_, &connection_,
        [](void* data) -> apr_status_t {
            const auto& connection = *static_cast<store::Connection*>(data);
            return apr_dbd_close(connection.driver, connection.handle);
        },
        apr_pool_cleanup_null);
    store_ = std::make_unique<store::DatabaseStore>(
        *this, *this, pool_, names_, "scale_tests",
        store::Patience{std::chrono::seconds(60), false}, totals);
}

OpenStore::~OpenStore() {
    store_.reset();
    apr_pool_destroy(pool_);
}

std::string OpenStore::list(const store::Filter& filter, const store::Window& window, Here here) {
    const auto page = store_->list(filter, window);
    if (!page)
        give_up("no list: " + complaints_, here);
    std::string ids;
    for (const store::User& user : page->users)
        ids.append(user.id) += ' ';
    return ids + "of " + std::to_string(page->total);
}

std::string OpenStore::search(std::string_view text, Here here) {
    return list({{}, text}, {20, 0}, here);
}

bool OpenStore::uses_copy() {
    const store::Dialect& dialect = *store::dialect_of("pgsql");
    const auto client = dialect.client_of(connection_, "scale_tests_look");
    store::Schema schema;
    static_cast<void>(
        std::get<store::Catalogue>(dialect.read_schema(*client, pool_, names_, schema)));
    return !schema.scale.empty();
}

void ScaleScene::teardown() {
    if (!is_postgresql())
        return;
    if (!undo_.empty())
        sql().run(undo_);
    for (const Database::Row& row :
         sql().rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'useradmin\\_%'"))
        sql().run("DROP SCHEMA " + row[0].value_or("") + " CASCADE");
}

void ScaleScene::is_exact(Here here) {
    if (const long rows = sql().number(wrong_rows); rows != 0)
        give_up(std::to_string(rows) + " rows of the copy are wrong", here);
    if (const long counts = sql().number(wrong_counts); counts != 0)
        give_up(std::to_string(counts) + " counts are wrong", here);
    for (const SortedBy& each : sorted_by)
        if (const long marks = sql().number(wrong_marks(each.marks, each.key, each.direction));
            marks != 0)
            give_up(std::to_string(marks) + " marks are wrong " + each.marks, here);
}

std::string ScaleScene::users(int first, int last, const std::string& role) {
    return R"(INSERT INTO "user" (id, name, email, "emailVerified", role, "createdAt") )"
           R"(SELECT 'u' || i, 'Name ' || i, 'u' || i || '@x', true, )" +
           role + R"(, '2026-01-01T00:00Z'::timestamptz - i * interval '1 hour' )" +
           "FROM generate_series(" + std::to_string(first) + ", " + std::to_string(last) +
           ") AS i;";
}

} // namespace useradmin::test
