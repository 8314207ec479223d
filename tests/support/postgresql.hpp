// A PostgreSQL server for the tests.
#pragma once

#include "support/files.hpp"
#include "support/process.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// A PostgreSQL cluster in the work folder. It listens only on a Unix socket there, so servers
/// cannot conflict. As root, it runs under the account postgres. The destructor stops it.
class PostgreSql {
  public:
    /// Settings that override the defaults of the tests: "name=value".
    using Settings = std::vector<std::string>;

    /// Creates the cluster under the name and starts it.
    PostgreSql(const WorkFolder& work, std::string_view name, Settings settings = {});
    /// Creates and starts a hot standby of the primary.
    PostgreSql(const WorkFolder& work, std::string_view name, const PostgreSql& primary);
    ~PostgreSql();
    PostgreSql(const PostgreSql&) = delete;
    PostgreSql& operator=(const PostgreSql&) = delete;

    void start();
    void stop();
    /// Ends all its processes at once, like a power failure.
    void crash();
    /// Promotes a standby. On return, it accepts writes.
    void promote();
    /// Stops all its processes until thaw(): sockets stay open, and no client gets a response.
    void freeze();
    void thaw();

    /// Kills a backend, like a crash: the server ends all others and recovers. Returns false if
    /// there is none.
    bool kill_backend() const;

    /// Returns the socket's folder, for a connection's "host".
    const std::filesystem::path& folder() const noexcept { return folder_; }
    /// Returns the account of the server; nothing if it is that of the tests.
    const std::optional<Account>& account() const noexcept { return account_; }
    /// Returns DBDParams for the server.
    std::string params() const;

    /// As root, makes the account of the server the owner of a folder, and returns the account.
    static std::optional<Account> move_into(const std::filesystem::path& folder);

  private:
    /// Runs a PostgreSQL program that creates the cluster's files.
    void initialize(std::vector<std::string> words) const;
    void stop_with_signal(int signal);

    std::filesystem::path folder_;
    Settings settings_;
    std::optional<Account> account_;
    std::unique_ptr<Process> server_;
};

} // namespace useradmin::test
