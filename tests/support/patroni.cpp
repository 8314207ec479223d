#include "support/patroni.hpp"

#include "support/machine.hpp"
#include "support/ports.hpp"
#include "support/postgresql.hpp"
#include "support/raw_connection.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

namespace useradmin::test {

namespace {

std::string address_of(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
}

/// Returns whether Patroni is older than 3.0.3. If an older version uses version 3 of etcd's API, a
/// primary that was frozen can take back the leader lock and confirm changes that are then lost.
bool needs_etcd_api_v2() {
    static const bool is_old = [] {
        const auto version = test::run({{machine::program("patroni"), "--version"}}).output;
        std::istringstream numbers(version.substr(std::min(version.find(' '), version.size())));
        int major = 0;
        int minor = 0;
        int patch = 0;
        char dot = 0;
        numbers >> major >> dot >> minor >> dot >> patch;
        return std::tuple(major, minor, patch) < std::tuple(3, 0, 3);
    }();
    return is_old;
}

/// Sends a request without a body. Returns the response, or an empty string if there is none.
std::string ask(std::uint16_t port, const std::string& request) {
    const auto connection = RawConnection::open(port);
    if (connection == nullptr || !connection->send(request + " HTTP/1.0\r\n\r\n") ||
        !connection->has_input(std::chrono::seconds(5)))
        return {};
    return connection->receive_all();
}

} // namespace

Etcd::Etcd(const WorkFolder& work)
    : folder_(work.make("etcd")), port_(free_port()), peer_port_(free_port()) {
    start();
}

void Etcd::start() {
    const std::string client = "http://" + address_of(port_);
    const std::string peer = "http://" + address_of(peer_port_);
    Command command{{machine::program("etcd"), "--data-dir", (folder_ / "data").string(),
                     "--unsafe-no-fsync", "--listen-client-urls", client, "--advertise-client-urls",
                     client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                     "--initial-cluster", "default=" + peer}};
    if (needs_etcd_api_v2())
        command.words.emplace_back("--enable-v2");
    process_ = start_server("etcd", command, folder_ / "log", [this] {
        return ask(port_, "GET /health").find("\"true\"") != std::string::npos;
    });
}

void Etcd::kill() {
    process_.reset();
}

PatroniNode::PatroniNode(const WorkFolder& work, const std::string& name, const Etcd& etcd)
    : name_(name), etcd_port_(etcd.port()), folder_(work.make(name)),
      own_database_port_(free_port()), own_rest_port_(free_port()),
      database_relay_(std::make_unique<TcpRelay>(own_database_port_)),
      rest_relay_(std::make_unique<TcpRelay>(own_rest_port_)),
      node_relay_(std::make_unique<TcpRelay>(own_rest_port_)),
      etcd_relay_(std::make_unique<TcpRelay>(etcd_port_)) {
    account_ = PostgreSql::move_into(folder_);
    start();
}

PatroniNode::~PatroniNode() {
    if (process_ == nullptr)
        return;
    // PostgreSQL leaves its shared memory if it is killed. Patroni stops it.
    thaw();
    reconnect();
    process_->signal(SIGTERM);
    if (!process_->exits_within(std::chrono::seconds(60)))
        kill();
}

void PatroniNode::start() {
    // Copy the file: the node's account may not be able to read the source directory.
    const auto file = folder_ / "patroni.yml";
    write_file(file, read_file(machine::source("conf/recipes/patroni.yml")));
    const std::string etcd = needs_etcd_api_v2() ? "PATRONI_ETCD" : "PATRONI_ETCD3";
    Command command{
        {machine::program("patroni"), file.string()},
        {{"PATRONI_NAME", name_},
         {"PATRONI_RESTAPI_LISTEN", address_of(own_rest_port_)},
         {"PATRONI_RESTAPI_CONNECT_ADDRESS", address_of(node_relay_->port())},
         {etcd + "_HOSTS", address_of(etcd_relay_->port())},
         // Otherwise, Patroni would connect to the address that etcd advertises, bypassing the
         // relay.
         {etcd + "_USE_PROXIES", "true"},
         {"PATRONI_POSTGRESQL_LISTEN", address_of(own_database_port_)},
         {"PATRONI_POSTGRESQL_CONNECT_ADDRESS", address_of(database_port())},
         {"PATRONI_POSTGRESQL_DATA_DIR", (folder_ / "data").string()},
         {"PATRONI_POSTGRESQL_PGPASS", (folder_ / "passwords").string()},
         {"PATRONI_POSTGRESQL_BIN_DIR", machine::postgresql("postgres").parent_path().string()},
         {"PATRONI_SUPERUSER_USERNAME", "postgres"},
         {"PATRONI_SUPERUSER_PASSWORD", password},
         {"PATRONI_REPLICATION_USERNAME", "replicator"},
         {"PATRONI_REPLICATION_PASSWORD", password}},
        account_};
    process_ = std::make_unique<Process>(command, folder_ / "log");
}

void PatroniNode::kill() {
    signal_all(SIGKILL);
    process_.reset();
}

void PatroniNode::kill_postgresql() {
    killed_ = postmaster();
    if (killed_ != 0)
        ::kill(killed_, SIGKILL);
}

pid_t PatroniNode::postmaster() const {
    return static_cast<pid_t>(parse_number(read_file(folder_ / "data" / "postmaster.pid")));
}

void PatroniNode::signal_all(int number) const {
    process_->signal(number);
    if (const pid_t main = postmaster())
        signal_with_children(main, number);
}

void PatroniNode::disconnect() {
    for (TcpRelay* relay : {database_relay_.get(), rest_relay_.get(), etcd_relay_.get()})
        relay->disconnect();
}

void PatroniNode::reconnect() {
    for (TcpRelay* relay : {database_relay_.get(), rest_relay_.get(), etcd_relay_.get()})
        relay->reconnect();
}

bool PatroniNode::answers_ok(const std::string& path) const {
    return ask(own_rest_port_, "GET " + path).starts_with("HTTP/1.0 200");
}

bool PatroniNode::switch_over() const {
    const std::string body = R"({"leader":")" + name_ + "\"}";
    const auto connection = RawConnection::open(own_rest_port_);
    return connection != nullptr &&
           connection->send("POST /switchover HTTP/1.0\r\nContent-Type: application/json\r\n"
                            "Content-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body) &&
           connection->receive_all(std::chrono::seconds(90)).starts_with("HTTP/1.0 200");
}

std::string PatroniNode::params() const {
    return "host=127.0.0.1 port=" + std::to_string(own_database_port_) +
           " dbname=postgres user=postgres connect_timeout=5 password='" + password + "'";
}

} // namespace useradmin::test
