#pragma once

#include "support/postgresql.hpp"

namespace useradmin::test {

/// A PgBouncer in front of a server. It listens on a Unix socket in the work folder. If run as
/// root, starts it under PostgreSQL's account. The destructor stops it.
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
