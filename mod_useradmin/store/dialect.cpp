#include "store/dialect.hpp"

namespace useradmin::store {

const Dialect* dialect_of(std::string_view driver) {
    if (driver == "pgsql")
        return &postgresql();
    if (driver == "sqlite3")
        return &sqlite();
    return nullptr;
}

Health Dialect::examine(const Connection& connection, apr_pool_t* pool,
                        std::string_view identity) const {
    std::string current = session_identity(connection, pool);
    if (!current.empty())
        return current == identity ? Health::sound : Health::reset;
    // The check connects anew where libpq knows that the connection is gone.
    if (apr_dbd_check_conn(connection.driver, pool, connection.handle) != APR_SUCCESS)
        return Health::broken;
    return session_identity(connection, pool).empty() ? Health::broken : Health::lost;
}

} // namespace useradmin::store
