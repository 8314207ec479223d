#include "support/postgresql.hpp"

#include "support/database.hpp"
#include "support/fail_test.hpp"
#include "support/machine.hpp"

#include <csignal>
#include <fstream>
#include <utility>

namespace useradmin::test {

PostgreSql::PostgreSql(const WorkFolder& work, std::string_view name, Settings settings)
    : folder_(work.make(name)), settings_(std::move(settings)) {
    account_ = move_into(folder_);
    initialize({machine::postgresql("initdb"), "--pgdata=" + (folder_ / "data").string(),
                "--username=useradmin", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
                "--no-sync"});
    start();
}

PostgreSql::PostgreSql(const WorkFolder& work, std::string_view name, const PostgreSql& primary)
    : folder_(work.make(name)) {
    account_ = move_into(folder_);
    initialize({machine::postgresql("pg_basebackup"), "--pgdata=" + (folder_ / "data").string(),
                "--host=" + primary.folder().string(), "--username=useradmin", "--checkpoint=fast",
                "--write-recovery-conf", "--no-sync"});
    start();
}

PostgreSql::~PostgreSql() {
    if (server_)
        stop();
}

std::optional<Account> PostgreSql::move_into(const std::filesystem::path& folder) {
    if (!running_as_root())
        return {};
    auto account = Account::first_of({"postgres"});
    if (!account)
        fail_test("PostgreSQL does not run as root, and there is no account postgres: install "
                  "PostgreSQL from the distribution's package");
    account->take_ownership(folder);
    return account;
}

void PostgreSql::initialize(std::vector<std::string> words) const {
    const std::string program = words.front();
    const auto made = run({std::move(words), {}, account_});
    if (made.status != 0)
        fail_test(program + " failed:\n" + made.output);
}

void PostgreSql::start() {
    Command command{{machine::postgresql("postgres"), "-D", (folder_ / "data").string(), //
                     "-c", "listen_addresses=", "-c",
                     "unix_socket_directories=" + folder_.string(),   //
                     "-c", "fsync=off", "-c", "full_page_writes=off", //
                     "-c", "synchronous_commit=off", "-c", "shared_buffers=16MB", "-c",
                     "max_prepared_transactions=4"},
                    {},
                    account_};
    for (const std::string& setting : settings_)
        command.words.insert(command.words.end(), {"-c", setting});
    server_ = start_server("PostgreSQL", command, folder_ / "log",
                           [this] { return Database::reachable("pgsql", params()); });
}

void PostgreSql::stop() {
    // PostgreSQL's fast shutdown, which disconnects the clients.
    stop_with_signal(SIGINT);
}

void PostgreSql::crash() {
    // PostgreSQL's immediate shutdown.
    stop_with_signal(SIGQUIT);
}

void PostgreSql::stop_with_signal(int signal) {
    server_->signal(signal);
    server_->exits_within(std::chrono::seconds(30));
    server_.reset();
}

void PostgreSql::promote() {
    if (Database("pgsql", params()).value("SELECT pg_promote()") != "t")
        fail_test("the standby was not promoted:\n" + read_file(folder_ / "log"));
}

void PostgreSql::freeze() {
    signal_with_children(server_->id(), SIGSTOP);
}

void PostgreSql::thaw() {
    signal_with_children(server_->id(), SIGCONT);
}

bool PostgreSql::kill_backend() const {
    for (const pid_t process : children_of(server_->id())) {
        // The process may have ended already.
        std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
        std::string title;
        std::getline(file, title);
        if (title.find("[local]") != std::string::npos) {
            kill(process, SIGKILL);
            // After the server has reaped the backend, it accepts no clients until it has
            // recovered.
            return eventually([&] { return kill(process, 0) != 0; });
        }
    }
    return false;
}

std::string PostgreSql::params() const {
    std::string params =
        "host=" + folder_.string() + " dbname=postgres user=useradmin connect_timeout=30";
    // Clients need the port, because the socket's name contains it.
    for (const std::string& setting : settings_)
        if (setting.starts_with("port="))
            params += " " + setting;
    return params;
}

} // namespace useradmin::test
