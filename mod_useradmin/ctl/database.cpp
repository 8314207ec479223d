#include "ctl/database.hpp"

#include "apr/pool.hpp"
#include "ctl/command_error.hpp"
#include "ctl/display.hpp"
#include "store/rows.hpp"

#include <apr_general.h>

#include <filesystem>

namespace useradmin::ctl {

namespace {

/// SQLite would make a file of a name that was mistyped.
void refuse_absent_file(const std::string& name) {
    std::error_code ignored;
    if (name.starts_with("file:") || name.starts_with(':') ||
        std::filesystem::exists(name, ignored))
        return;
    throw CommandError(Exit::failure,
                       "there is no file " + name + "; 'useradminctl schema' makes it");
}

} // namespace

Database::Database(const Settings& settings, Absent absent) : tables_(settings.tables()) {
    const std::string& driver = settings.driver;
    dialect_ = store::dialect_of(driver);
    if (dialect_ == nullptr)
        throw CommandError(Exit::usage, "the driver '" + driver + "' must be pgsql or sqlite3");
    if (!is_postgresql() && absent == Absent::refuse)
        refuse_absent_file(settings.parameters);
    apr_initialize();
    apr_pool_create(&pool_, nullptr);
    apr_dbd_init(pool_);
    connection_.pool = pool_;
    if (apr_dbd_get_driver(pool_, driver.c_str(), &connection_.driver) != APR_SUCCESS)
        throw CommandError(Exit::failure,
                           "APR has no driver " + driver + "; install libaprutil1-dbd-" + driver +
                               " (Debian, Ubuntu) or apr-util-" +
                               (is_postgresql() ? "pgsql" : "sqlite") + " (Fedora, RHEL)");
    const char* error = nullptr;
    if (apr_dbd_open_ex(connection_.driver, pool_, settings.parameters.c_str(), &connection_.handle,
                        &error) != APR_SUCCESS)
        throw CommandError(Exit::failure,
                           "cannot connect: " + one_line(apr::view_of(error)) +
                               "; check --params or DBDParams, and that the database runs");
    store_ = std::make_unique<store::DatabaseStore>(*this, *this, pool_, tables_, "useradminctl");
}

Database::~Database() {
    apr_pool_clear(pool_);
    apr_terminate();
}

store::Schema Database::schema() {
    std::optional<store::Schema> schema = dialect_->read_schema(connection_, pool_, tables_);
    if (!schema)
        throw CommandError(Exit::failure, "cannot read the catalogue: " + last_error());
    return std::move(*schema);
}

void Database::execute(const std::string& sql) {
    int rows = 0;
    if (apr_dbd_query(connection_.driver, connection_.handle, &rows, sql.c_str()) != 0)
        throw CommandError(Exit::failure, "the database refused: " + last_error());
}

std::vector<Database::Row> Database::rows(const std::string& sql) {
    apr_dbd_results_t* results = nullptr;
    if (apr_dbd_select(connection_.driver, pool_, connection_.handle, &results, sql.c_str(), 1) !=
        0)
        throw CommandError(Exit::failure, "the database refused: " + last_error());
    const int width = apr_dbd_num_cols(connection_.driver, results);
    std::vector<Row> all;
    for (store::Rows rows(connection_.driver, pool_, results); rows.next();) {
        Row& row = all.emplace_back();
        for (int column = 0; column < width; ++column)
            row.emplace_back(rows.text(column));
    }
    return all;
}

std::string Database::last_error() const {
    const std::string_view text =
        apr::view_of(apr_dbd_error(connection_.driver, connection_.handle, 0));
    return std::string(text.substr(0, text.find('\n')));
}

void Database::write(text::Level, std::string_view message) noexcept {
    complain(message);
}

} // namespace useradmin::ctl
