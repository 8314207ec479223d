#include "scale.hpp"

#include <apr_dbd.h>

namespace useradmin::test {

namespace {

/// Counts the groups in which the number of users differs from the stored count.
constexpr const char* wrong_counts = R"sql(
SELECT count(*) FROM (
    SELECT role FROM (
        SELECT coalesce(role, 'user') COLLATE "C" AS role, coalesce(banned, false) AS is_banned,
            "emailVerified" AS is_verified, 1 AS number FROM "user"
        UNION ALL SELECT role, is_banned, is_verified, -number FROM useradmin_public_user.counts) AS c
    GROUP BY role, is_banned, is_verified HAVING sum(number) <> 0) AS w)sql";

} // namespace

Session::Session(const std::string& params, const std::string& more)
    : connection_(PQconnectdb((params + " " + more).c_str())) {
    if (is_lost())
        fail_test("no connection: " + error());
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
        fail_test("SQL failed: " + query + "\n" + error());
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
        fail_test(std::string("no connection: ") + (error != nullptr ? error : ""));
    apr_pool_cleanup_register(
        pool_, &connection_,
        [](void* data) -> apr_status_t {
            const auto& connection = *static_cast<store::Connection*>(data);
            return apr_dbd_close(connection.driver, connection.handle);
        },
        apr_pool_cleanup_null);
    store_ = std::make_unique<store::DatabaseStore>(
        *this, *this, pool_, names_, "scale_tests",
        store::TimeoutPolicy{std::chrono::seconds(60), false}, totals);
}

OpenStore::~OpenStore() {
    store_.reset();
    apr_pool_destroy(pool_);
}

std::string OpenStore::list(const store::Filter& filter, const store::Window& window,
                            SourceLocation where) {
    const auto page = store_->list(filter, window);
    if (!page)
        fail_test("the list failed: " + messages_, where);
    std::string ids;
    for (const model::User& user : page->users)
        ids.append(user.id) += ' ';
    return ids + "of " + std::to_string(page->total);
}

std::string OpenStore::walk(const store::Filter& filter, store::Window window,
                            SourceLocation where) {
    std::string ids;
    std::int64_t total = 0;
    for (std::int64_t users = 0; users <= total;) {
        const auto page = store_->list(filter, window);
        if (!page)
            fail_test("the list failed: " + messages_, where);
        total = page->total;
        if (page->users.empty())
            return ids + "of " + std::to_string(total);
        users += static_cast<std::int64_t>(page->users.size());
        for (const model::User& user : page->users)
            ids.append(user.id) += ' ';
        window.position = {page->users.back().sort_key, page->users.back().id};
    }
    return "too many";
}

store::Position OpenStore::position(const store::Window& window) {
    const auto page = store_->list({}, window);
    return {page->users.front().sort_key, page->users.front().id};
}

std::string OpenStore::last_statement() {
    const store::Dialect& dialect = *store::find_dialect("pgsql");
    const auto client = dialect.create_client(connection_, "scale_tests_look");
    auto rows = *client->execute(
        "SELECT statement FROM pg_prepared_statements ORDER BY prepare_time DESC LIMIT 1", pool_);
    return rows.next() ? std::string(rows.take().value_or("")) : std::string();
}

std::string OpenStore::search(std::string_view text, SourceLocation where) {
    return list({{}, text}, {20, 0}, where);
}

bool OpenStore::is_scaled() {
    const store::Dialect& dialect = *store::find_dialect("pgsql");
    const auto client = dialect.create_client(connection_, "scale_tests_look");
    store::Schema schema;
    CHECK_TRUE(dialect.read_schema(*client, pool_, names_, schema));
    return !schema.scale.empty();
}

void ScaleScene::teardown() {
    if (!undo_.empty())
        sql().run(undo_);
    // DROP SCHEMA locks the search index before its table. Autovacuum locks the table first.
    for (const Database::Row& row :
         sql().rows("SELECT nspname, (SELECT string_agg(DISTINCT 'LOCK TABLE ' || "
                    "tgrelid::regclass || ';', '') FROM pg_trigger JOIN pg_proc p ON p.oid = "
                    "tgfoid WHERE pronamespace = n.oid) FROM pg_namespace n WHERE nspname LIKE "
                    "'useradmin\\_%'"))
        sql().run("BEGIN;" + row[1].value_or("") + "DROP SCHEMA " + row[0].value_or("") +
                  " CASCADE; COMMIT");
    sql().run("DROP INDEX IF EXISTS user_by_name_idx, user_by_email_idx, user_by_update_idx, "
              "session_useradmin_seen_idx, user_useradmin_seen_idx");
}

void ScaleScene::check_counts(SourceLocation where) {
    if (const long counts = sql().number(wrong_counts); counts != 0)
        fail_test(std::to_string(counts) + " counts are wrong", where);
}

std::string ScaleScene::users(int first, int last, const std::string& role) {
    return R"(INSERT INTO "user" (id, name, email, "emailVerified", role, "createdAt") )"
           R"(SELECT 'u' || i, 'Name ' || i, 'u' || i || '@x', true, )" +
           role + R"(, '2026-01-01T00:00Z'::timestamptz - i * interval '1 hour' )" +
           "FROM generate_series(" + std::to_string(first) + ", " + std::to_string(last) +
           ") AS i;";
}

} // namespace useradmin::test
