#pragma once

#include "support/files.hpp"
#include "support/process.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// A PostgreSQL cluster in the work folder. It listens only on a Unix socket in that folder, so
/// servers cannot conflict. If run as root, starts it under the account postgres. The destructor
/// stops it.
class PostgreSql {
  public:
    /// Settings that override the defaults of the tests: "name=value".
    using Settings = std::vector<std::string>;

    /// Creates a cluster and starts it.
    PostgreSql(const WorkFolder& work, std::string_view name, Settings settings = {});
    /// Creates and starts a hot standby of the primary.
    PostgreSql(const WorkFolder& work, std::string_view name, const PostgreSql& primary);
    ~PostgreSql();
    PostgreSql(const PostgreSql&) = delete;
    PostgreSql& operator=(const PostgreSql&) = delete;

    void start();
    void stop();
    /// Shuts down in immediate mode, like a crash: the next start recovers.
    void crash();
    /// Promotes a standby and waits until it accepts writes.
    void promote();
    /// Suspends all processes until thaw(). Sockets stay open, but clients get no response.
    void freeze();
    void thaw();

    /// Kills a backend. The server then terminates all others and recovers. Returns false if there
    /// is none.
    bool kill_backend() const;

    /// Returns the socket's folder, for the parameter "host" of a connection.
    const std::filesystem::path& folder() const noexcept { return folder_; }
    /// Returns the server's account, or std::nullopt if it runs under the tests' account.
    const std::optional<Account>& account() const noexcept { return account_; }
    std::string params() const;

    /// If run as root, makes PostgreSQL's account the owner of a folder and returns the account.
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
