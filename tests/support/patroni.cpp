#include "support/patroni.hpp"

#include "support/database.hpp"
#include "support/machine.hpp"
#include "support/ports.hpp"
#include "support/trouble.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

namespace useradmin::test {

namespace {

std::string on_loopback(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
}

} // namespace

Patroni::Patroni(const WorkFolder& work, std::string_view name) : folder_(work.make(name)) {
    if (running_as_root()) {
        account_ = Account::first_of({"postgres"});
        if (!account_)
            fail_test("PostgreSQL does not run as root, and there is no account postgres: install "
                      "PostgreSQL from the distribution's package");
        account_->take_ownership(folder_);
    }
    start_etcd();
    for (const char* each : {"one", "two", "three"})
        start_node(each);
    await_follower();
}

Patroni::~Patroni() {
    for (const Node& node : nodes_)
        node.process->signal(SIGTERM);
    for (const Node& node : nodes_) {
        node.process->ended_within(std::chrono::seconds(30));
        // It runs in a session of its own.
        if (const pid_t server = server_of(node); server != 0)
            kill(server, SIGQUIT);
    }
}

Command Patroni::command(std::vector<std::string> words) const {
    return {std::move(words), {{"LC_ALL", "C.UTF-8"}}, account_};
}

void Patroni::start_etcd() {
    etcd_port_ = free_port();
    const std::string clients = "http://" + on_loopback(etcd_port_);
    const std::string peers = "http://" + on_loopback(free_port());
    etcd_ = std::make_unique<Process>(
        command({machine::program("etcd"), "--data-dir=" + (folder_ / "etcd").string(),
                 "--listen-client-urls=" + clients, "--advertise-client-urls=" + clients,
                 "--listen-peer-urls=" + peers, "--initial-advertise-peer-urls=" + peers,
                 "--initial-cluster=default=" + peers}),
        folder_ / "etcd.log");
}

void Patroni::start_node(std::string_view name) {
    Node node = {folder_ / name, free_port(), nullptr};
    std::filesystem::create_directory(node.folder);
    const std::string address = on_loopback(node.port);
    const std::string rest_address = on_loopback(free_port());
    const auto file = node.folder / "patroni.yml";
    // The leader's lease is as short as Patroni lets it be.
    write_file(
        file, "scope: useradmin\nname: " + std::string(name) +
                  "\nrestapi:\n  listen: " + rest_address + "\n  connect_address: " + rest_address +
                  "\netcd3:\n  host: " + on_loopback(etcd_port_) +
                  "\nbootstrap:\n  dcs:\n    ttl: 20\n    loop_wait: 1\n    retry_timeout: 3\n"
                  "    synchronous_mode: true\n    postgresql:\n      parameters:\n"
                  "        fsync: 'off'\n        full_page_writes: 'off'\n"
                  "        shared_buffers: 16MB\n        max_connections: 100\n"
                  "  initdb:\n  - encoding: UTF8\n  - locale: C.UTF-8\n  - no-sync\n"
                  "  pg_hba:\n  - local all all trust\n  - host all all 127.0.0.1/32 trust\n"
                  "  - host replication all 127.0.0.1/32 trust\n"
                  "postgresql:\n  listen: " +
                  address + "\n  connect_address: " + address +
                  "\n  data_dir: " + (node.folder / "data").string() +
                  "\n  bin_dir: " + machine::postgresql("postgres").parent_path().string() +
                  "\n  pgpass: " + (node.folder / "pgpass").string() +
                  "\n  authentication:\n    superuser:\n      username: useradmin\n"
                  "    replication:\n      username: replicator\n"
                  "  parameters:\n    unix_socket_directories: " +
                  node.folder.string() + "\n");
    if (account_)
        account_->take_ownership(node.folder);
    node.process = std::make_unique<Process>(command({machine::program("patroni"), file.string()}),
                                             node.folder / "log");
    nodes_.push_back(std::move(node));
}

std::string Patroni::params_of(const Node& node) {
    return "host=" + node.folder.string() + " port=" + std::to_string(node.port) +
           " dbname=postgres user=useradmin connect_timeout=2";
}

std::string Patroni::params() const {
    std::string hosts;
    std::string ports;
    for (const Node& node : nodes_) {
        hosts += (hosts.empty() ? "" : ",") + node.folder.string();
        ports += (ports.empty() ? "" : ",") + std::to_string(node.port);
    }
    return "host=" + hosts + " port=" + ports +
           " dbname=postgres user=useradmin connect_timeout=2 target_session_attrs=read-write";
}

pid_t Patroni::server_of(const Node& node) {
    const auto process =
        static_cast<pid_t>(number_in(read_file(node.folder / "data" / "postmaster.pid")));
    return process == 0 || has_ended(process) ? 0 : process;
}

bool Patroni::takes_writes(const Node& node) {
    return Database::reachable("pgsql", params_of(node) + " target_session_attrs=read-write");
}

void Patroni::await_leader() const {
    await("SELECT 1");
}

void Patroni::await_follower() const {
    await("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'");
}

void Patroni::await(const std::string& query) const {
    const bool is_there = eventually([&] {
        return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
            return takes_writes(node) && Database("pgsql", params_of(node)).number(query) > 0;
        });
    });
    if (is_there)
        return;
    std::string logs = read_file(folder_ / "etcd.log");
    for (const Node& node : nodes_)
        logs += read_file(node.folder / "log");
    fail_test("Patroni's servers found no leader:\n" + logs);
}

void Patroni::lose_leader() {
    const auto leader = std::find_if(nodes_.begin(), nodes_.end(), takes_writes);
    if (leader == nodes_.end())
        fail_test("Patroni's servers have no leader");
    leader->process->signal(SIGKILL);
    kill(server_of(*leader), SIGQUIT);
}

} // namespace useradmin::test
