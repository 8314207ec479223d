// An HAProxy for the tests.
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
    /// Patroni's REST interface of each database.
    std::array<std::uint16_t, 3> patronis;
};

/// HAProxy with conf/recipes/haproxy.cfg, on two ports of 127.0.0.1. The destructor stops it.
class HaProxy {
  public:
    HaProxy(const WorkFolder& work, HaProxyServers servers);

    /// The port for HTTP.
    std::uint16_t port() const noexcept { return port_; }
    /// The port that leads to the primary.
    std::uint16_t database_port() const noexcept { return database_port_; }

    void start();
    void kill();
    /// Reads its configuration again, like `systemctl reload haproxy`.
    void reload() const;

  private:
    HaProxyServers servers_;
    std::filesystem::path folder_;
    std::uint16_t port_;
    std::uint16_t database_port_;
    std::unique_ptr<Process> process_;
};

} // namespace useradmin::test
