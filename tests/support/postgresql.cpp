#include "support/postgresql.hpp"

#include "support/database.hpp"
#include "support/machine.hpp"
#include "support/trouble.hpp"

#include <csignal>
#include <fstream>

namespace useradmin::test {

PostgreSql::PostgreSql(const WorkFolder& work, std::string_view name) : folder_(work.make(name)) {
    if (running_as_root()) {
        account_ = Account::first_of({"postgres"});
        if (!account_)
            give_up("PostgreSQL does not run as root, and there is no account postgres: install "
                    "PostgreSQL from the distribution's package");
        account_->take(folder_);
    }
    const auto made = run({{machine::postgresql("initdb"),
                            "--pgdata=" + (folder_ / "data").string(), "--username=useradmin",
                            "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"},
                           {},
                           account_});
    if (made.status != 0)
        give_up("initdb failed:\n" + made.output);
    start();
}

PostgreSql::~PostgreSql() {
    if (server_)
        stop();
}

void PostgreSql::start() {
    const Command command{{machine::postgresql("postgres"), "-D", (folder_ / "data").string(), //
                           "-c", "listen_addresses=", "-c",
                           "unix_socket_directories=" + folder_.string(),   //
                           "-c", "fsync=off", "-c", "full_page_writes=off", //
                           "-c", "synchronous_commit=off", "-c", "shared_buffers=16MB", "-c",
                           "max_prepared_transactions=4"},
                          {},
                          account_};
    server_ = std::make_unique<Process>(command, folder_ / "log");
    const bool ready = eventually(
        [this] { return !server_->running() || Database::reachable("pgsql", params()); });
    if (!ready || !server_->running())
        give_up("PostgreSQL did not start:\n" + read_file(folder_ / "log"));
}

void PostgreSql::stop() {
    // Interrupt is PostgreSQL's fast shutdown: it does not wait for clients to leave.
    server_->signal(SIGINT);
    server_->ended_within(std::chrono::seconds(30));
    server_.reset();
}

void PostgreSql::freeze() {
    signal_all(SIGSTOP);
}

void PostgreSql::thaw() {
    signal_all(SIGCONT);
}

void PostgreSql::signal_all(int number) const {
    // The server first, which makes the others.
    server_->signal(number);
    for (const pid_t process : children_of(server_->id()))
        kill(process, number);
}

bool PostgreSql::kill_backend() const {
    for (const pid_t process : children_of(server_->id())) {
        // It may end meanwhile.
        std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
        std::string title;
        std::getline(file, title);
        if (title.find("[local]") != std::string::npos) {
            kill(process, SIGKILL);
            return true;
        }
    }
    return false;
}

std::string PostgreSql::params() const {
    return "host=" + folder_.string() + " dbname=postgres user=useradmin connect_timeout=2";
}

} // namespace useradmin::test
