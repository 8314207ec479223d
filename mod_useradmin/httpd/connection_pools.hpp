// mod_dbd's connection pools.
#pragma once

#include "httpd/httpd.hpp"

#include <string>
#include <vector>

namespace useradmin::httpd {

/// The directives that define a pool. Servers with the same values share one. If DBDPrepareSQL
/// gives one label to different statements, mod_dbd creates separate pools on the same database;
/// here they count as one.
struct ConnectionPool {
    std::string driver;
    std::string parameters;
    int min = 1;
    int keep = 2;
    /// The maximum number of connections per child.
    int max = 10;
    int expiry_seconds = 300;

    bool operator==(const ConnectionPool&) const = default;
};

/// The pools of a configuration, and the pool of each server.
class ConnectionPools {
  public:
    /// Reads the configuration tree. servers: httpd's list.
    explicit ConnectionPools(const server_rec* servers);

    const std::vector<ConnectionPool>& pools() const noexcept { return pools_; }
    /// Returns the index into pools() for each server, in the order of the list.
    const std::vector<unsigned>& of_servers() const noexcept { return of_servers_; }

  private:
    std::vector<ConnectionPool> pools_;
    std::vector<unsigned> of_servers_;
};

} // namespace useradmin::httpd
