#pragma once

#include "support/files.hpp"
#include "support/process.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace useradmin::test {

/// The ports of the servers behind HAProxy, on 127.0.0.1.
struct HaProxyServers {
    std::array<std::uint16_t, 3> httpds;
    std::array<std::uint16_t, 3> databases;
    /// The port of Patroni's REST API on each database server.
    std::array<std::uint16_t, 3> patronis;
};

/// Runs HAProxy with conf/recipes/haproxy.cfg on two ports of 127.0.0.1. The destructor kills it.
class HaProxy {
  public:
    HaProxy(const WorkFolder& work, HaProxyServers servers);

    /// Returns the port for HTTP.
    std::uint16_t port() const noexcept { return port_; }
    /// Returns the port for connections to the primary.
    std::uint16_t database_port() const noexcept { return database_port_; }

    void start();
    void kill();
    /// Reloads the configuration, like `systemctl reload haproxy`.
    void reload() const;

  private:
    HaProxyServers servers_;
    std::filesystem::path folder_;
    std::uint16_t port_;
    std::uint16_t database_port_;
    std::unique_ptr<Process> process_;
};

} // namespace useradmin::test
