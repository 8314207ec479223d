// useradminctl check with pgpool-II, which sends reads to a standby.
#include "scene.hpp"

#include "support/machine.hpp"
#include "support/ports.hpp"

namespace useradmin::test {

TEST_GROUP_BASE(read_balancing, Scene){};

TEST(read_balancing, by_pgpool_is_reported_by_check) {
    if (Suite::current().kind() != Kind::postgresql ||
        !Suite::current().is_event_without_sanitizers())
        return;
    const WorkFolder& work = Suite::current().work();
    PostgreSql& primary = Suite::current().database().server();
    const PostgreSql standby(work, "balanced-standby", primary);
    const auto folder = work.make("pgpool");
    const std::string port = std::to_string(free_port());
    const auto check = [&](const std::string& params) {
        const auto result =
            test::run({{machine::built("useradminctl"), "check", "--driver", "pgsql", "--params",
                        params + " dbname=postgres user=useradmin"},
                       machine::sanitizer_environment()});
        return result.output + result.errors;
    };
    write_file(folder / "pgpool.conf",
               "backend_clustering_mode = 'streaming_replication'\n"
               "listen_addresses = '127.0.0.1'\nport = " +
                   port + "\npcp_port = " + std::to_string(free_port()) +
                   // socket_dir was renamed after version 4.3.
                   "\nsocket_dir = '" + folder.string() + "'\nunix_socket_directories = '" +
                   folder.string() + "'\npcp_socket_dir = '" + folder.string() +
                   "'\nbackend_hostname0 = '" + primary.folder().string() +
                   "'\nbackend_port0 = 5432\nbackend_weight0 = 1\nbackend_hostname1 = '" +
                   standby.folder().string() +
                   "'\nbackend_port1 = 5432\nbackend_weight1 = 1\nload_balance_mode = on\n"
                   "sr_check_user = 'useradmin'\nnum_init_children = 16\npid_file_name = '" +
                   (folder / "pid").string() + "'\nlogdir = '" + folder.string() +
                   "'\nwork_dir = '" + folder.string() + "'\n");
    if (const auto& account = primary.account())
        account->take_ownership(folder);
    const Process pgpool({{machine::program("pgpool"), "-n", "-f",
                           (folder / "pgpool.conf").string(), "-F", (folder / "none").string()},
                          {},
                          primary.account()},
                         folder / "log");
    const std::string balanced = "host=127.0.0.1 port=" + port;
    CHECK(eventually([&] {
        return Database::reachable("pgsql", balanced + " dbname=postgres user=useradmin");
    }));
    constexpr const char* problem = "some connections reach a read-only server and others do not";
    STRCMP_CONTAINS(problem, check(balanced).c_str());
    CHECK(check("host=" + primary.folder().string()).find(problem) == std::string::npos);
}

} // namespace useradmin::test
