// mod_dbd's pools of connections, as the configuration makes them.
#pragma once

#include "httpd/httpd.hpp"

#include <string>
#include <vector>

namespace useradmin::httpd {

/// What of mod_dbd's directives makes a pool: servers in which all of it is the same share one.
/// (Servers that give one label of DBDPrepareSQL to different statements have pools of their own in
/// mod_dbd, on the same database; here they count as one.)
struct ConnectionPool {
    std::string driver;
    std::string parameters;
    int min = 1;
    int keep = 2;
    /// How many connections a child has at most.
    int max = 10;
    int expiry_seconds = 300;

    bool operator==(const ConnectionPool&) const = default;
};

/// The pools of a configuration, and which of them each server has.
class ConnectionPools {
  public:
    /// Reads the configuration's tree; the servers are httpd's list.
    explicit ConnectionPools(const server_rec* servers);

    const std::vector<ConnectionPool>& pools() const noexcept { return pools_; }
    /// The server's place in pools(), for the servers in the list's order.
    const std::vector<unsigned>& of_servers() const noexcept { return of_servers_; }

  private:
    std::vector<ConnectionPool> pools_;
    std::vector<unsigned> of_servers_;
};

} // namespace useradmin::httpd
