// A PostgreSQL server of the tests' own.
#pragma once

#include "support/files.hpp"
#include "support/process.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::test {

/// A PostgreSQL cluster in the work folder that listens on a Unix socket in there and nowhere else,
/// so that no two can meet. As root it runs under the account postgres. Stopped when it goes.
class PostgreSql {
  public:
    /// Lays the cluster out under this name and starts it.
    PostgreSql(const WorkFolder& work, std::string_view name);
    ~PostgreSql();
    PostgreSql(const PostgreSql&) = delete;
    PostgreSql& operator=(const PostgreSql&) = delete;

    void start();
    void stop();
    /// Stops all of its processes where they are, until thaw(): its sockets stay open, and nobody
    /// answers.
    void freeze();
    void thaw();

    /// Kills one of the processes that work for clients, as a crash would: the server ends all
    /// others, and recovers. False where there is none.
    bool kill_backend() const;

    /// DBDParams for it.
    std::string params() const;

  private:
    void signal_all(int number) const;

    std::filesystem::path folder_;
    std::optional<Account> account_;
    std::unique_ptr<Process> server_;
};

} // namespace useradmin::test
