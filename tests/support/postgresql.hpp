#pragma once

#include "support/files.hpp"
#include "support/process.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// Runs a PostgreSQL cluster in a subdirectory of the work directory. It listens only on a Unix
/// socket in that subdirectory, so servers cannot conflict. If the tests run as root, the server
/// runs under the account postgres. The destructor stops it.
class PostgreSql {
  public:
    /// Server settings ("name=value") that override the defaults of the tests.
    using Settings = std::vector<std::string>;

    /// Creates a cluster and starts it.
    PostgreSql(const WorkFolder& work, std::string_view name, Settings settings = {});
    /// Creates and starts a hot standby of the primary.
    PostgreSql(const WorkFolder& work, std::string_view name, const PostgreSql& primary);
    ~PostgreSql();

    void start();
    void stop();
    /// Shuts down in immediate mode, like a crash: the next start recovers.
    void crash();
    /// Promotes a standby and waits until it accepts writes.
    void promote();
    /// Suspends all processes until thaw(). Sockets stay open, but clients get no response.
    void freeze();
    void thaw();

    /// Kills a backend that serves a client. The server then terminates the other backends and
    /// recovers. Returns false if no client is connected.
    bool kill_backend() const;

    /// Returns the socket's directory, for the "host" parameter of a connection.
    const std::filesystem::path& folder() const noexcept { return folder_; }
    /// Returns the server's account, or std::nullopt if it runs under the tests' account.
    const std::optional<Account>& account() const noexcept { return account_; }
    std::string params() const;

    /// If run as root, makes PostgreSQL's account the owner of the directory and returns the
    /// account. Otherwise, returns std::nullopt.
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
