// PostgreSQL servers that Patroni looks after.
#pragma once

#include "support/files.hpp"
#include "support/process.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// Three servers on this machine, each with a Patroni, and an etcd by which they agree on who takes
/// the writes. What was committed is on two of them. As root all run under the account postgres.
/// Ended when it goes.
class Patroni {
  public:
    Patroni(const WorkFolder& work, std::string_view name);
    ~Patroni();
    Patroni(const Patroni&) = delete;
    Patroni& operator=(const Patroni&) = delete;

    /// DBDParams that lead to whichever takes the writes.
    std::string params() const;
    /// Waits until one of them takes writes.
    void await_leader() const;
    /// Ends the one that takes the writes, and its Patroni, as a power cut would.
    void lose_leader();

  private:
    struct Node {
        std::filesystem::path folder;
        std::uint16_t port;
        std::unique_ptr<Process> process;
    };

    /// Waits until another one is known to have all that was committed.
    void await_follower() const;
    void await(const std::string& query) const;
    void start_etcd();
    void start_node(std::string_view name);
    Command command(std::vector<std::string> words) const;
    static std::string params_of(const Node& node);
    /// The main process of the node's server; 0 where there is none.
    static pid_t server_of(const Node& node);
    static bool takes_writes(const Node& node);

    std::filesystem::path folder_;
    std::optional<Account> account_;
    std::uint16_t etcd_port_ = 0;
    std::unique_ptr<Process> etcd_;
    std::vector<Node> nodes_;
};

} // namespace useradmin::test
