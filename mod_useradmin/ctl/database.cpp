#include "ctl/database.hpp"

#include "apr/pool.hpp"
#include "ctl/command_error.hpp"
#include "ctl/httpd_configuration.hpp"

#include <apr_general.h>

#include <cstdio>

namespace useradmin::ctl {

namespace {

struct Source {
    std::string driver;
    std::string parameters;
};

Source source_of(const Options& options) {
    if (const auto file = options.find("config"))
        return {directive_in(*file, "DBDriver"), directive_in(*file, "DBDParams")};
    return {std::string(options.demand("driver")), std::string(options.demand("params"))};
}

} // namespace

Database::Database(const Options& options) {
    const Source source = source_of(options);
    dialect_ = store::dialect_of(source.driver);
    if (dialect_ == nullptr)
        throw CommandError(Exit::usage,
                           "the driver '" + source.driver + "' must be pgsql or sqlite3");
    apr_initialize();
    apr_pool_create(&pool_, nullptr);
    apr_dbd_init(pool_);
    connection_.pool = pool_;
    if (apr_dbd_get_driver(pool_, source.driver.c_str(), &connection_.driver) != APR_SUCCESS)
        throw CommandError(Exit::failure, "APR has no driver " + source.driver +
                                              "; install libaprutil1-dbd-" + source.driver +
                                              " (Debian, Ubuntu) or apr-util-" + source.driver +
                                              " (Fedora, RHEL)");
    const char* error = nullptr;
    if (apr_dbd_open_ex(connection_.driver, pool_, source.parameters.c_str(), &connection_.handle,
                        &error) != APR_SUCCESS)
        throw CommandError(Exit::failure, "cannot connect: " + std::string(apr::view_of(error)) +
                                              "; check --params, which are those of DBDParams");
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

std::string Database::last_error() const {
    return std::string(apr::view_of(apr_dbd_error(connection_.driver, connection_.handle, 0)));
}

void Database::error(std::string_view message) noexcept {
    std::fprintf(stderr, "useradminctl: %.*s\n", static_cast<int>(message.size()), message.data());
}

} // namespace useradmin::ctl
