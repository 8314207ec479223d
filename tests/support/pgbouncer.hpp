#pragma once

#include "support/postgresql.hpp"

namespace useradmin::test {

/// Runs PgBouncer in front of a PostgreSQL server. It listens on a Unix socket in a subdirectory of
/// the work directory. If the tests run as root, it runs under PostgreSQL's account. The destructor
/// kills it.
class PgBouncer {
  public:
    /// mode: the pool mode, "session" or "transaction".
    PgBouncer(const WorkFolder& work, std::string_view name, const PostgreSql& server,
              std::string_view mode);

    /// Returns DBDParams for connections through PgBouncer.
    std::string params() const;

  private:
    std::filesystem::path folder_;
    std::unique_ptr<Process> process_;
};

} // namespace useradmin::test
