// A PgBouncer of the tests' own.
#pragma once

#include "support/postgresql.hpp"

namespace useradmin::test {

/// A PgBouncer between clients and a server, which listens on a Unix socket in the work folder.
/// As root it runs under PostgreSQL's account. Ended when it goes.
class PgBouncer {
  public:
    /// The mode is that of its pool: "session" or "transaction".
    PgBouncer(const WorkFolder& work, std::string_view name, const PostgreSql& server,
              std::string_view mode);

    /// DBDParams for the server behind it.
    std::string params() const;

  private:
    std::filesystem::path folder_;
    std::unique_ptr<Process> process_;
};

} // namespace useradmin::test
