// UserAdminHashQueue: more concurrent hashing requests than fit into the queue.
#include "own_httpd.hpp"

#include "support/process.hpp"

#include <algorithm>
#include <csignal>
#include <deque>
#include <filesystem>

namespace useradmin::test {

namespace {

constexpr long costly_kib = 131072;

std::filesystem::path folder_of(pid_t process) {
    return "/proc/" + std::to_string(process);
}

/// The sign-in response if the queue is full.
constexpr const char* busy_to_sign_in =
    R"({"message":"Service unavailable","code":"SERVICE_UNAVAILABLE"})";

} // namespace

class HashQueue : public OwnHttpd {
  protected:
    void setup() override {
        OwnHttpd::setup();
        add_eva();
    }
    void add_ivo() {
        expect_success(
            ask(Caller::super_admin, "POST", "/cheap/users", user_json("ivo@example.org")));
    }
    void teardown() override {
        continue_child();
        connections_.clear();
        OwnHttpd::teardown();
    }

    /// Starts an httpd with one hashing slot and one connection per child. Waiting requests do not
    /// time out. X-Client contains the client's address. A hash takes seconds at /costly, but very
    /// little time elsewhere.
    void start_with(const std::string& queue) {
        start("RemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\nUserAdminHashLimit 1\n" +
                  queue +
                  "DBDMax 1\nDBDKeep 1\nUserAdminTimeout 300\nAuthUserAdminTimeout 300\n"
                  "UserAdminPasswordHash argon2id m=64\n" +
                  location("/costly/users", as_sara + "UserAdminPasswordHash argon2id t=10 m=" +
                                                std::to_string(costly_kib) + "\n") +
                  location("/api/users", as_sara) + sign_in("/auth", "") +
                  handler("/metrics", "useradmin-metrics"),
              {"mod_remoteip.so"});
    }

    /// Stops a child while it hashes. The slot stays in use until the child continues.
    void stop_hashing_child() {
        post("/costly/users", "costly@example.org");
        const auto hashes = [](pid_t child) {
            return resident_kib(folder_of(child)) > costly_kib / 2;
        };
        CHECK(eventually([&] {
            const auto children = children_of(httpd_->main_process());
            const auto found = std::find_if(children.begin(), children.end(), hashes);
            frozen_ = found != children.end() ? *found : 0;
            return frozen_ != 0;
        }));
        kill(frozen_, SIGSTOP);
        // A thread that is still running could accept a connection.
        CHECK(eventually([&] {
            const std::filesystem::directory_iterator threads(folder_of(frozen_) / "task");
            return std::all_of(begin(threads), end(threads), [](const auto& thread) {
                return status_field(thread.path(), "State").starts_with('T');
            });
        }));
        CHECK_EQUAL(0, count_responses());
    }
    void continue_child() {
        if (frozen_ != 0)
            kill(std::exchange(frozen_, 0), SIGCONT);
    }

    /// Sends a request over a new connection without waiting for the response.
    void post(const std::string& path, const std::string& email,
              const std::string& address = "192.0.2.1") {
        const std::string body = user_json(email);
        connections_.emplace_back(httpd_->port());
        CHECK(connections_.back().send("POST " + path +
                                       " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                       "X-Client: " +
                                       address +
                                       "\r\nContent-Type: application/json\r\nContent-Length: " +
                                       std::to_string(body.size()) + "\r\n\r\n" + body));
    }
    void post_creates(int count) {
        for (int number = 0; number < count; ++number)
            post("/api/users", std::to_string(connections_.size()) + "@example.org");
    }

    /// Returns how many requests got a response.
    long count_responses() const {
        return std::count_if(
            connections_.begin(), connections_.end(),
            [](const auto& connection) {
                return connection.has_input(std::chrono::milliseconds(0));
            });
    }
    bool await_responses(long count) const {
        return eventually([&] { return count_responses() >= count; }) && count_responses() == count;
    }
    /// Expects that sign-ins by ivo from two other networks get places in the full queue of four.
    /// Each displaces a create.
    void expect_sign_ins_displace_creates() {
        CHECK(await_responses(12));
        for (const char* address : {"198.51.100.7", "2001:db8:0:1::7"}) {
            post("/auth/sign-in/email", "ivo@example.org", address);
            CHECK(await_responses(static_cast<long>(connections_.size()) - 5));
        }
        continue_child();
        CHECK_EQUAL(14, responses(503).size());
        CHECK_EQUAL(5, responses(200).size());
        for (auto response = responses_.end() - 2; response != responses_.end(); ++response)
            CHECK_EQUAL(200, response->status);
    }
    /// Waits for all responses. Returns the responses with this status.
    std::vector<Response> responses(int status) {
        if (responses_.empty())
            for (const auto& connection : connections_)
                responses_.push_back(
                    parse_response(connection.receive_all(std::chrono::minutes(2))));
        std::vector<Response> found;
        std::copy_if(responses_.begin(), responses_.end(), std::back_inserter(found),
                     [&](const Response& response) { return response.status == status; });
        return found;
    }

    /// Expects that requests that do not hash succeed.
    void expect_reads() const {
        for (int time = 0; time < 10; ++time) {
            HttpClient client(httpd_->port());
            expect_success(client.send({"GET", "/api/users"}));
            expect(client.send({"GET", "/auth/get-session"}), 200, "null");
        }
    }

    std::deque<RawConnection> connections_;
    std::vector<Response> responses_;
    pid_t frozen_ = 0;
};

TEST_GROUP_BASE(hash_queue, HashQueue){};

TEST(hash_queue, rejects_a_create_with_503_when_full) {
    expect_log("UA0215: the queue for hashing slots is full; raise UserAdminHashLimit or "
               "UserAdminHashQueue");
    start_with("UserAdminHashQueue 2\n");
    stop_hashing_child();
    post_creates(10);
    CHECK(await_responses(8));
    expect_reads();
    CHECK_EQUAL(8, count_responses());
    const std::string metrics = HttpClient(httpd_->port()).send({"GET", "/metrics"}).body;
    for (const char* sample :
         {"useradmin_hash_slots 1\n", "useradmin_hash_slots_in_use 1\n",
          "useradmin_hash_queue_places 2\n", "useradmin_hash_queue_places_in_use 2\n",
          "useradmin_refusals_total{virtual_host=\"localhost\",reason=\"hash-queue\"} 8\n"})
        STRCMP_CONTAINS(sample, metrics.c_str());
    continue_child();
    for (const auto& response : responses(503)) {
        expect_error(response, 503, "Servicio no disponible temporalmente");
        CHECK_EQUAL(std::string("1"), response.value("Retry-After"));
    }
    CHECK_EQUAL(8, responses(503).size());
    CHECK_EQUAL(3, responses(200).size());
    CHECK_EQUAL(4 + 3, count("user"));
}

TEST(hash_queue, is_shared_with_sign_ins) {
    expect_log("UA0215");
    start_with("UserAdminHashQueue 2\n");
    stop_hashing_child();
    for (int number = 0; number < 10; ++number)
        post("/auth/sign-in/email", "eva@example.org");
    CHECK(await_responses(8));
    expect_reads();
    expect_error(HttpClient(httpd_->port())
                     .send({"POST", "/api/users", {"X-Client: 192.0.2.1"}, user_json("n@x")}),
                 503, "Servicio no disponible temporalmente");
    CHECK_EQUAL(8, count_responses());
    continue_child();
    for (const auto& response : responses(503)) {
        expect(response, 503, busy_to_sign_in);
        CHECK_EQUAL(std::string("1"), response.value("Retry-After"));
        CHECK_FALSE(response.header("Set-Cookie").has_value());
    }
    CHECK_EQUAL(8, responses(503).size());
    CHECK_EQUAL(3, responses(200).size());
    CHECK_EQUAL(3 + 2, count("session"));
}

TEST(hash_queue, displaces_creates_of_one_network_for_sign_ins_from_others) {
    expect_log("UA0215");
    add_ivo();
    start_with("UserAdminHashQueue 4\n");
    stop_hashing_child();
    post_creates(16);
    expect_sign_ins_displace_creates();
}

TEST(hash_queue, admits_one_waiter_per_four_workers_by_default) {
    expect_log("UA0215");
    start_with("");
    stop_hashing_child();
    post_creates(11); // of 32 workers
    CHECK(await_responses(3));
    continue_child();
    CHECK_EQUAL(3, responses(503).size());
    CHECK_EQUAL(9, responses(200).size());
}

} // namespace useradmin::test
