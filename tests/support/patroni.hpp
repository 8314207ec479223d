#pragma once

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/tcp_relay.hpp"

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace useradmin::test {

/// Runs a single-node etcd cluster on a port of 127.0.0.1. The destructor kills it.
class Etcd {
  public:
    explicit Etcd(const WorkFolder& work);

    std::uint16_t port() const noexcept { return port_; }
    /// Starts etcd with the data it stored earlier.
    void start();
    void kill();

  private:
    std::filesystem::path folder_;
    std::uint16_t port_;
    std::uint16_t peer_port_;
    std::unique_ptr<Process> process_;
};

/// Runs a PostgreSQL server managed by Patroni with conf/recipes/patroni.yml. Relays connect the
/// node to etcd and to the other nodes. If the tests run as root, the node runs under the account
/// postgres. The destructor kills it.
class PatroniNode {
  public:
    PatroniNode(const WorkFolder& work, const std::string& name, const Etcd& etcd);
    ~PatroniNode();

    std::uint16_t database_port() const noexcept { return database_relay_->port(); }
    /// Returns the port of Patroni's REST API for HAProxy. The other nodes use another port.
    std::uint16_t rest_port() const noexcept { return rest_relay_->port(); }
    const std::string& name() const noexcept { return name_; }

    /// Starts Patroni, which starts PostgreSQL.
    void start();
    /// Kills Patroni and PostgreSQL, like a power failure.
    void kill();
    /// Kills only PostgreSQL.
    void kill_postgresql();
    /// Returns whether kill_postgresql() killed PostgreSQL and nothing has started it since.
    bool is_killed() const { return killed_ != 0 && postmaster() == killed_; }
    /// Suspends all processes until thaw().
    void freeze() { signal_all(SIGSTOP); }
    void thaw() { signal_all(SIGCONT); }
    /// Drops all packets until reconnect(), except requests from other nodes to Patroni.
    void disconnect();
    void reconnect();
    /// Drops the other nodes' requests to Patroni.
    void disconnect_from_nodes() const { node_relay_->disconnect(); }
    void reconnect_to_nodes() const { node_relay_->reconnect(); }

    /// Returns whether Patroni's REST API answers a path such as "/primary" with 200.
    bool answers_ok(const std::string& path) const;
    /// Requests a switchover from Patroni. Returns whether it took place.
    bool switch_over() const;

    /// Returns DBDParams for a direct connection to this server.
    std::string params() const;
    /// Returns the log of Patroni and PostgreSQL.
    std::string log() const { return read_file(folder_ / "log"); }

    static constexpr const char* password = "s3cr3t of patroni";

  private:
    /// Returns the postmaster's PID, or 0 if there is no PID file.
    pid_t postmaster() const;
    void signal_all(int number) const;

    /// The PID of the postmaster that kill_postgresql() killed.
    pid_t killed_ = 0;
    std::string name_;
    std::uint16_t etcd_port_;
    std::filesystem::path folder_;
    std::uint16_t own_database_port_;
    std::uint16_t own_rest_port_;
    std::unique_ptr<TcpRelay> database_relay_;
    std::unique_ptr<TcpRelay> rest_relay_;
    std::unique_ptr<TcpRelay> node_relay_;
    std::unique_ptr<TcpRelay> etcd_relay_;
    std::optional<Account> account_;
    std::unique_ptr<Process> process_;
};

} // namespace useradmin::test
