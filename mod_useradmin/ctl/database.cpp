#include "ctl/database.hpp"

#include "apr/pool.hpp"
#include "ctl/command_error.hpp"
#include "ctl/file_access.hpp"

#include <apr_general.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <variant>

namespace useradmin::ctl {

namespace {

// A command may run indefinitely, but one that changes rows must not wait indefinitely for another
// process's lock.
constexpr store::TimeoutPolicy timeout_policy = {std::chrono::seconds(5), false};

/// Returns whether the file does not exist. Returns false if its directory cannot be searched or
/// the name is empty.
bool is_absent(const std::string& file) {
    std::error_code error;
    return !file.empty() && !std::filesystem::exists(file, error) &&
           error != std::errc::permission_denied;
}

/// Returns the words of the text, separated by single spaces.
std::string one_line(std::string_view text) {
    std::istringstream words{std::string(text)};
    std::string line;
    for (std::string word; words >> word;)
        line.append(line.empty() ? "" : " ").append(word);
    return line;
}

} // namespace

Database::Database(const CommandSettings& settings, IfAbsent absent, text::Logger& log)
    : tables_(settings.tables()) {
    const std::string& driver = settings.driver;
    dialect_ = store::find_dialect(driver);
    if (dialect_ == nullptr)
        throw UsageError("unknown driver '" + driver + "'; use " + store::driver_names());
    file_ = dialect_->database_file(settings.parameters);
    created_file_.name = is_absent(file_) ? file_ : std::string();
    // SQLite would create a file for a mistyped name.
    if (absent == IfAbsent::fail && !created_file_.name.empty())
        throw CommandError("file " + created_file_.name +
                           " does not exist; create it with 'useradminctl schema'");
    apr_initialize();
    apr_pool_create(&pool_, nullptr);
    apr_dbd_init(pool_);
    connection_.pool = pool_;
    if (apr_dbd_get_driver(pool_, driver.c_str(), &connection_.driver) != APR_SUCCESS)
        throw CommandError("APR driver " + driver + " is not installed; install " +
                           dialect_->product().debian_package + " (Debian, Ubuntu) or " +
                           dialect_->product().fedora_package + " (Fedora, RHEL)");
    const char* error = nullptr;
    if (apr_dbd_open_ex(connection_.driver, pool_, settings.parameters.c_str(), &connection_.handle,
                        &error) != APR_SUCCESS)
        throw CommandError(
            "cannot connect to the database: " + explain(one_line(apr::view_of(error))) +
            "; check --params or DBDParams, and that the database is running");
    // As in mod_dbd, close the connection in an ordinary cleanup: APR runs it after destroying the
    // subpools, which contain the prepared statements.
    apr_pool_cleanup_register(
        pool_, &connection_,
        [](void* data) noexcept -> apr_status_t {
            const auto& connection = *static_cast<store::Connection*>(data);
            return apr_dbd_close(connection.driver, connection.handle);
        },
        apr_pool_cleanup_null);
    for (const std::string& statement : settings.init_statements)
        run_init_statement(statement);
    connection_.init_statements = settings.init_statements;
    client_ = dialect_->create_client(connection_, "useradminctl_command");
    if (dialect_->product().is_single_writer || settings.use == DatabaseUse::write)
        set_lock_timeout();
    store_ = std::make_unique<store::DatabaseStore>(*this, log, pool_, tables_, "useradminctl",
                                                    timeout_policy);
    store_->set_plugin_policy(settings.plugin_policy());
}

void Database::run_init_statement(const std::string& statement) {
    int rows = 0;
    const int error =
        apr_dbd_query(connection_.driver, connection_.handle, &rows, statement.c_str());
    if (error != 0)
        throw CommandError(
            "DBDInitSQL '" + statement + "' failed: " +
            one_line(apr::view_of(apr_dbd_error(connection_.driver, connection_.handle, error))));
}

void Database::set_lock_timeout() {
    const apr::ScopedPool pool(pool_);
    if (!client_->set_lock_timeout(timeout_policy.timeout, pool.get()))
        fail();
}

Database::~Database() {
    store_.reset();
    client_.reset();
    // SQLite removes its write-ahead log when the last connection closes.
    apr_pool_clear(pool_);
    apr_terminate();
}

Database::CreatedFile::~CreatedFile() {
    // A failed command leaves an empty file, unless another process has created tables in it.
    std::error_code ignored;
    if (!name.empty() && std::filesystem::file_size(name, ignored) == 0)
        std::filesystem::remove(std::filesystem::canonical(name, ignored), ignored);
}

store::Schema Database::schema(const store::TableNames& names) {
    store::Schema schema;
    if (!dialect_->read_schema(*client_, pool_, names, schema))
        throw CommandError("cannot read the catalog: " + explain(client_->error_message()));
    return schema;
}

std::optional<std::string> Database::superuser_risk(const store::Schema& schema) {
    const std::string query = dialect_->untrusted_roles_query(schema);
    const std::vector<Row> found = query.empty() ? std::vector<Row>() : rows(query);
    if (found.empty())
        return std::nullopt;
    // SET ROLE does not help: code in a superuser's session can undo it with RESET ROLE.
    const Row& row = found.front();
    const std::string& table = schema.table(row[0].value_or("u").front()).name;
    const std::string role = row[1].value_or("");
    const bool is_owner = row[3] == "t";
    return row[2].value_or("") + " is a superuser, but " + role +
           (is_owner ? ", which owns table " : ", which can attach triggers to or replace table ") +
           table + ", is not: triggers of " + role + " would run as a superuser; log in as " +
           (is_owner ? role + " or a member of it"
                     : "the tables' owner, which must not be a superuser");
}

void Database::reject_superuser_risk(const store::Schema& schema) {
    if (const auto risk = superuser_risk(schema))
        throw CommandError(*risk);
}

void Database::execute(const std::string& sql) {
    static_cast<void>(rows(sql));
}

void Database::set_if_known(std::string_view parameter, std::string_view value, Until until) {
    execute("SELECT pg_catalog.set_config(name, " + store::literal(value) + ", " +
            (until == Until::commit ? "true" : "false") +
            ") FROM pg_catalog.pg_settings WHERE name OPERATOR(pg_catalog.=) " +
            store::literal(parameter));
}

void Database::disable_timeouts() {
    if (!dialect_->product().has_schemas)
        return;
    execute("SET LOCAL statement_timeout = 0");
    execute("SET LOCAL idle_in_transaction_session_timeout = 0");
    set_if_known("transaction_timeout", "0", Until::commit);
}

std::string Database::explain(std::string error) const {
    const bool is_of_file = error.find("unable to open database file") != error.npos ||
                            error.find("readonly database") != error.npos;
    return file_.empty() || !is_of_file ? error : error + ": " + describe_access(file_);
}

void Database::fail() const {
    const std::string message =
        "the database reported an error: " + explain(client_->error_message());
    if (client_->error_kind() == store::ErrorKind::busy)
        throw LockTimeout(message);
    throw CommandError(message);
}

std::vector<Database::Row> Database::rows(const std::string& sql) {
    const apr::ScopedPool pool(pool_);
    auto rows = client_->execute(sql.c_str(), pool.get());
    if (!rows)
        fail();
    std::vector<Row> all;
    while (rows->next()) {
        Row& row = all.emplace_back();
        for (std::size_t column = 0; column < rows->column_count(); ++column)
            row.emplace_back(rows->take());
    }
    return all;
}

std::int64_t to_integer(const std::optional<std::string>& cell) noexcept {
    std::int64_t number = 0;
    if (cell)
        std::from_chars(cell->data(), cell->data() + cell->size(), number);
    return number;
}

} // namespace useradmin::ctl
