#include "support/database.hpp"

#include "support/fail_test.hpp"

#include <algorithm>
#include <apr_dbd.h>
#include <apr_general.h>
#include <apr_pools.h>
#include <cstdlib>
#include <sqlite3.h>

namespace useradmin::test {

namespace {

/// Initializes APR and its DBD drivers on the first call.
apr_pool_t* process_pool() {
    static apr_pool_t* const pool = [] {
        apr_initialize();
        apr_pool_t* made = nullptr;
        apr_pool_create(&made, nullptr);
        apr_dbd_init(made);
        return made;
    }();
    return pool;
}

struct PoolDestroyer {
    void operator()(apr_pool_t* pool) const noexcept { apr_pool_destroy(pool); }
};
using Pool = std::unique_ptr<apr_pool_t, PoolDestroyer>;

Pool new_pool() {
    apr_pool_t* pool = nullptr;
    apr_pool_create(&pool, process_pool());
    return Pool(pool);
}

} // namespace

struct Database::Connection {
    Pool pool = new_pool();
    const apr_dbd_driver_t* driver = nullptr;
    apr_dbd_t* handle = nullptr;
    bool is_sqlite = false;

    /// Opens the connection. Returns an error message, or an empty string on success.
    std::string open(const std::string& driver_name, const std::string& params) {
        is_sqlite = driver_name == "sqlite3";
        if (apr_dbd_get_driver(pool.get(), driver_name.c_str(), &driver) != APR_SUCCESS)
            return "APR has no driver " + driver_name +
                   ": install libaprutil1-dbd-pgsql and libaprutil1-dbd-sqlite3 (Debian, Ubuntu) "
                   "or "
                   "apr-util-pgsql and apr-util-sqlite (Fedora, RHEL)";
        const char* error = nullptr;
        if (apr_dbd_open_ex(driver, pool.get(), params.c_str(), &handle, &error) != APR_SUCCESS)
            return "cannot open " + params + ": " + (error ? error : "no reason given");
        if (is_sqlite) {
            // Another process may hold the write lock.
            sqlite3_busy_timeout(sqlite(), 10000);
            // Test data need not survive a power failure.
            sqlite3_exec(sqlite(), "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
        }
        return "";
    }

    ~Connection() {
        if (handle)
            apr_dbd_close(driver, handle);
    }

    sqlite3* sqlite() const { return static_cast<sqlite3*>(apr_dbd_native_handle(driver, handle)); }

    std::string error(int code) const {
        const char* text = apr_dbd_error(driver, handle, code);
        return text ? text : "no reason given";
    }
};

Database::Database(std::string_view driver, std::string_view params)
    : connection_(std::make_unique<Connection>()) {
    if (const auto wrong = connection_->open(std::string(driver), std::string(params));
        !wrong.empty())
        fail_test(wrong);
}

Database::~Database() = default;

bool Database::reachable(std::string_view driver, std::string_view params) {
    Connection connection;
    return connection.open(std::string(driver), std::string(params)).empty();
}

void Database::run(const std::string& statements) {
    if (connection_->is_sqlite) {
        // apr_dbd reports failure for a PRAGMA that returns a row.
        char* error = nullptr;
        if (sqlite3_exec(connection_->sqlite(), statements.c_str(), nullptr, nullptr, &error) !=
            SQLITE_OK) {
            const std::string why = error ? error : "no reason given";
            sqlite3_free(error);
            fail_test("SQL failed: " + statements + "\n" + why);
        }
        return;
    }
    int rows = 0;
    const int code =
        apr_dbd_query(connection_->driver, connection_->handle, &rows, statements.c_str());
    if (code != 0)
        fail_test("SQL failed: " + statements + "\n" + connection_->error(code));
}

void Database::insert(const std::string& table,
                      std::vector<std::pair<std::string, std::string>> fields) {
    const auto add_default = [&](const char* column, const char* value) {
        if (std::none_of(fields.begin(), fields.end(),
                         [&](const auto& field) { return field.first == column; }))
            fields.emplace_back(column, value);
    };
    if (table == "user")
        add_default("emailVerified", "TRUE");
    for (const char* const time : {"createdAt", "updatedAt"})
        add_default(time, "2026-01-01T00:00:00.000Z");
    std::string columns;
    std::string values;
    for (const auto& [column, value] : fields) {
        const char* const comma = columns.empty() ? "" : ", ";
        columns += comma + ("\"" + column + "\"");
        values += comma + (column == "emailVerified" ? value : sql_literal(value));
    }
    run("INSERT INTO \"" + table + "\" (" + columns + ") VALUES (" + values + ")");
}

std::vector<Database::Row> Database::rows(const std::string& query) {
    const Pool pool = new_pool();
    apr_dbd_results_t* results = nullptr;
    const auto* driver = connection_->driver;
    const int code =
        apr_dbd_select(driver, pool.get(), connection_->handle, &results, query.c_str(), 1);
    if (code != 0)
        fail_test("SQL failed: " + query + "\n" + connection_->error(code));
    std::vector<Row> all;
    const int columns = apr_dbd_num_cols(driver, results);
    const int count = apr_dbd_num_tuples(driver, results);
    for (int number = 1; number <= count; ++number) {
        apr_dbd_row_t* row = nullptr;
        if (apr_dbd_get_row(driver, pool.get(), results, &row, number) != 0)
            fail_test("no row " + std::to_string(number) + " of " + query);
        Row values;
        for (int column = 0; column < columns; ++column) {
            const char* text = nullptr;
            const auto got = apr_dbd_datum_get(driver, row, column, APR_DBD_TYPE_STRING, &text);
            values.push_back(got == APR_SUCCESS && text ? std::optional<std::string>(text)
                                                        : std::nullopt);
        }
        all.push_back(std::move(values));
    }
    return all;
}

std::optional<std::string> Database::value(const std::string& query) {
    const auto found = rows(query);
    if (found.empty() || found.front().empty())
        return {};
    return found.front().front();
}

std::string Database::column(const std::string& query) {
    std::string values;
    for (const Row& row : rows(query))
        values += (values.empty() ? "" : ", ") + row.front().value_or("NULL");
    return values;
}

long Database::number(const std::string& query) {
    const auto text = value(query);
    if (!text)
        fail_test("no number came of " + query);
    return std::strtol(text->c_str(), nullptr, 10);
}

std::string sql_literal(std::string_view text) {
    std::string literal = "'";
    for (const char character : text) {
        if (character == '\'')
            literal += '\'';
        literal += character;
    }
    return literal + "'";
}

} // namespace useradmin::test
