#include "support/pgbouncer.hpp"

#include "support/database.hpp"
#include "support/machine.hpp"

namespace useradmin::test {

PgBouncer::PgBouncer(const WorkFolder& work, std::string_view name, const PostgreSql& server,
                     std::string_view mode)
    : folder_(work.make(name)) {
    const auto file = folder_ / "pgbouncer.ini";
    // Settings at the end override the recipe's.
    write_file(file, read_file(machine::source("conf/recipes/pgbouncer.ini")) +
                         "\n[databases]\npostgres = host=" + server.folder().string() +
                         " dbname=postgres user=useradmin\n"
                         "[pgbouncer]\nlisten_addr =\nunix_socket_dir = " +
                         folder_.string() +
                         "\nlisten_port = 6432\nauth_type = any\npool_mode = " + std::string(mode) +
                         "\n"
                         // By default, PgBouncer waits 15 s after a failed login.
                         "server_login_retry = 0.2\n"
                         // In transaction mode, have fewer server connections than clients, so that
                         // clients share them.
                         "default_pool_size = " +
                         (mode == "session" ? "90" : "4") + "\n");
    Command command{{machine::program("pgbouncer"), file.string()}, {}, {}};
    if (running_as_root()) {
        command.account = server.account();
        command.account->take_ownership(folder_);
    }
    process_ = start_server("PgBouncer", command, folder_ / "log",
                            [this] { return Database::reachable("pgsql", params()); });
}

std::string PgBouncer::params() const {
    return "host=" + folder_.string() +
           " port=6432 dbname=postgres user=useradmin connect_timeout=30";
}

} // namespace useradmin::test
