#pragma once

#include "httpd/httpd.hpp"

#include <string>
#include <vector>

namespace useradmin::httpd {

/// The directives that define a pool. Servers with the same values share a pool. If DBDPrepareSQL
/// uses one label for different statements, mod_dbd creates separate pools, but this struct
/// represents all of them.
struct ConnectionPool {
    std::string driver;
    std::string parameters;
    int min = 1;
    int keep = 2;
    /// The maximum number of connections in each child.
    int max = 10;
    int expiry_seconds = 300;

    bool operator==(const ConnectionPool&) const = default;

    /// Returns the directive without which the pool has no database, or nullptr.
    const char* missing_directive() const noexcept {
        if (driver.empty())
            return "DBDriver";
        // libpq may get its parameters from the environment.
        return driver == "sqlite3" && parameters.empty() ? "DBDParams" : nullptr;
    }
};

struct ServerDatabase {
    /// The server's index into ConnectionPools::pools().
    unsigned pool = 0;
    /// The statements of DBDInitSQL. mod_dbd ignores them if the server shares another server's
    /// pool.
    std::vector<std::string> init_statements;
};

/// Determines the pools that a configuration defines, and which pool each server uses.
class ConnectionPools {
  public:
    /// Reads the configuration tree. servers: httpd's list of servers.
    explicit ConnectionPools(const server_rec* servers);

    const std::vector<ConnectionPool>& pools() const noexcept { return pools_; }
    /// Returns each server's database, in the order of httpd's list.
    const std::vector<ServerDatabase>& server_databases() const noexcept {
        return server_databases_;
    }

  private:
    std::vector<ConnectionPool> pools_;
    std::vector<ServerDatabase> server_databases_;
};

} // namespace useradmin::httpd
