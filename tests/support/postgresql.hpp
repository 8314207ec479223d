// A PostgreSQL server of the tests' own.
#pragma once

#include "support/files.hpp"
#include "support/process.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::test {

/// A PostgreSQL cluster in the work folder that listens on a Unix socket in there and nowhere else,
/// so that no two can meet. As root it runs under the account postgres. Stopped when it goes.
class PostgreSql {
  public:
    /// What differs from the tests' own settings: "name=value".
    using Settings = std::vector<std::string>;

    /// Lays the cluster out under this name and starts it.
    PostgreSql(const WorkFolder& work, std::string_view name, Settings settings = {});
    /// A copy of the primary that follows it, and may be read.
    PostgreSql(const WorkFolder& work, std::string_view name, const PostgreSql& primary);
    ~PostgreSql();
    PostgreSql(const PostgreSql&) = delete;
    PostgreSql& operator=(const PostgreSql&) = delete;

    void start();
    void stop();
    /// Ends all of its processes at once, as a power cut would.
    void crash();
    /// Makes a standby the primary; it takes writes when this returns.
    void promote();
    /// Stops all of its processes where they are, until thaw(): its sockets stay open, and no
    /// client answers.
    void freeze();
    void thaw();

    /// Kills one of the processes that work for clients, as a crash would: the server ends all
    /// others, and recovers. False where there is none.
    bool kill_backend() const;

    /// Where its socket is, for a connection's "host".
    const std::filesystem::path& folder() const noexcept { return folder_; }
    /// The account that it runs under; nothing where that is the tests' own.
    const std::optional<Account>& account() const noexcept { return account_; }
    /// DBDParams for it.
    std::string params() const;

  private:
    /// Gives the folder to the account that the server runs under.
    void move_in();
    /// Runs a program of PostgreSQL's that makes the cluster's files.
    void initialize(std::vector<std::string> words) const;
    void stop_with_signal(int signal);
    void signal_all(int number) const;

    std::filesystem::path folder_;
    Settings settings_;
    std::optional<Account> account_;
    std::unique_ptr<Process> server_;
};

} // namespace useradmin::test
