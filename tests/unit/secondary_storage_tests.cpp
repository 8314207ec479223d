// Delivery of revocations to a secondary storage, with fakes instead of Redis.
#include "fake_store.hpp"

#include "secondary_storage/delivery.hpp"
#include "secondary_storage/redis.hpp"

#include "support/ports.hpp"

#include <CppUTest/TestHarness.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <thread>

namespace useradmin::test {

namespace {

using secondary_storage::Delivery;
using secondary_storage::StoredSession;

class FakeStorage final : public secondary_storage::SecondaryStorage {
  public:
    std::optional<std::vector<StoredSession>> sessions_of(std::string_view) override {
        return is_down ? std::nullopt : std::optional(sessions);
    }
    bool end_sessions(std::string_view user_id, std::span<const std::string_view> tokens) override {
        if (is_down)
            return false;
        ended += std::string(user_id) + " ";
        for (const std::string_view token : tokens)
            ended += std::string(token) + " ";
        return true;
    }
    bool end_all_sessions(std::span<const secondary_storage::RevokedUser> users) override {
        for (const auto& user : users) {
            if (is_down)
                return false;
            ended += std::string(user.user_id) + " ";
            before = user.created_before.time_since_epoch().count();
        }
        return true;
    }
    std::optional<std::int64_t> position(std::string_view database) override {
        return is_down ? std::nullopt : std::optional(stored[std::string(database)]);
    }
    bool set_position(std::string_view database, std::int64_t position) override {
        stored[std::string(database)] = position;
        return !is_down && !is_read_only;
    }

    /// The delivered position. Keys are database names.
    std::map<std::string, std::int64_t> stored;
    bool is_down = false;
    bool is_read_only = false;
    std::vector<StoredSession> sessions;
    std::string ended;
    std::int64_t before = 0;
};

store::Revocation revocation(std::string_view user_id, std::int64_t id) {
    return {user_id, {}, text::Timestamp(std::chrono::milliseconds(id)), id};
}

/// Accepts one connection and sends `start`, then a response that does not end, byte by byte, for
/// up to a minute.
class EndlessReply {
  public:
    explicit EndlessReply(std::string_view start = {}) : start_(start) {
        const sockaddr_in any_port = loopback(0);
        ::bind(listener_, reinterpret_cast<const sockaddr*>(&any_port), sizeof any_port);
        ::listen(listener_, 1);
        thread_ = std::thread([this] { send(); });
    }
    ~EndlessReply() {
        thread_.join();
        ::close(listener_);
    }

    int port() const {
        sockaddr_in own{};
        socklen_t size = sizeof own;
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&own), &size);
        return ntohs(own.sin_port);
    }
    bool has_begun() const noexcept { return has_begun_; }
    /// Returns whether a program that this process starts inherits the client's socket.
    bool is_client_inherited() const noexcept { return is_client_inherited_; }

  private:
    /// Returns this process's socket with this port in network byte order, or -1.
    static int find_socket(in_port_t port) {
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
            const int descriptor = std::stoi(entry.path().filename());
            sockaddr_in own{};
            socklen_t size = sizeof own;
            if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
                own.sin_family == AF_INET && own.sin_port == port)
                return descriptor;
        }
        return -1;
    }
    static bool is_inherited(int descriptor) {
        const int flags = ::fcntl(descriptor, F_GETFD);
        return flags == -1 || (flags & FD_CLOEXEC) == 0;
    }
    void send() {
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        const int client = ::accept(listener_, reinterpret_cast<sockaddr*>(&peer), &size);
        char first = 0;
        if (::recv(client, &first, 1, 0) == 1)
            is_client_inherited_ = is_inherited(find_socket(peer.sin_port));
        ::send(client, start_.data(), start_.size(), MSG_NOSIGNAL);
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (::send(client, "+", 1, MSG_NOSIGNAL) == 1 &&
               std::chrono::steady_clock::now() < end) {
            has_begun_ = true;
            ::poll(nullptr, 0, 1);
        }
        ::close(client);
    }

    std::string_view start_;
    int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    std::atomic<bool> has_begun_ = false;
    std::atomic<bool> is_client_inherited_ = true;
    std::thread thread_;
};

} // namespace

TEST_GROUP(delivery) {
    Calls calls;
    FakeStore store{calls};
    FakeStorage storage;
    Delivery delivery;

    void expect(Delivery::Outcome outcome) {
        CHECK_TRUE(delivery.run(store, storage) == outcome);
    }
    /// Returns the positions that were passed to the store, except the maximum.
    std::string positions() const {
        std::string text;
        for (const std::int64_t position : store.positions)
            if (position != std::numeric_limits<std::int64_t>::max())
                text += std::to_string(position) + " ";
        return text;
    }
};

TEST(delivery, continues_where_the_last_one_ended) {
    store.revocations = {7, {revocation("eva", 1)}, false};
    expect(Delivery::Outcome::complete);
    store.revocations = {9, {revocation("ivo", 2)}, false};
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("eva ivo "), storage.ended);
    CHECK_EQUAL(std::string("0 7 "), positions());
}

TEST(delivery, is_repeated_after_a_failure) {
    store.revocations = {7, {revocation("eva", 1)}, false};
    storage.is_down = true;
    expect(Delivery::Outcome::storage_failed);
    storage.is_down = false;
    store.failures["revocations_since"] = store::Failure::unavailable;
    expect(Delivery::Outcome::database_failed);
    store.failures.clear();
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("0 0 "), positions());
    CHECK_EQUAL(std::string("eva "), storage.ended);
}

TEST(delivery, without_new_revocations_fails_if_the_storage_rejects_writes) {
    store.revocations = {7, {}, false};
    expect(Delivery::Outcome::complete);
    storage.is_read_only = true;
    expect(Delivery::Outcome::storage_failed);
    storage.is_read_only = false;
    expect(Delivery::Outcome::complete);
}

// If delivery continued after the last page, it would miss a transaction that commits between two
// pages.
TEST(delivery, several_pages_continue_at_the_position_after_the_first) {
    store.revocations = {7, {revocation("eva", 1)}, true};
    expect(Delivery::Outcome::partial);
    expect(Delivery::Outcome::partial);
    store.revocations = {9, {revocation("ivo", 2)}, false};
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("eva ivo "), storage.ended);
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("0 0 0 7 "), positions());
}

TEST(delivery, needs_the_table_of_revocations) {
    store.revocations.has_table = false;
    expect(Delivery::Outcome::no_table);
    store.revocations = {7, {revocation("eva", 1)}, false};
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("0 "), positions());
}

TEST(delivery, needs_a_table_that_can_be_read) {
    store.failures["revocations_since"] = store::Failure::failed;
    expect(Delivery::Outcome::unreadable_table);
    store.failures.clear();
    expect(Delivery::Outcome::complete);
    store.failures["revocations_since"] = store::Failure::failed;
    expect(Delivery::Outcome::unreadable_table);
}

TEST(delivery, starts_again_with_a_database_that_was_replaced) {
    store.revocations = {7, {}, false};
    expect(Delivery::Outcome::complete);
    store.revocations = {3, {revocation("eva", 1)}, false};
    expect(Delivery::Outcome::partial);
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("0 7 0 "), positions());
    CHECK_EQUAL(std::string("eva "), storage.ended);
    store.revocations = {9, {revocation("ivo", 1)}, false, true, "another"};
    expect(Delivery::Outcome::partial);
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("0 7 0 3 0 "), positions());
    CHECK_EQUAL(std::string("eva ivo "), storage.ended);
}

TEST(delivery, continues_where_another_server_ended) {
    storage.stored["one"] = 5;
    store.revocations = {7, {revocation("eva", 1)}, false, true, "one"};
    expect(Delivery::Outcome::complete);
    LONGS_EQUAL(7, storage.stored["one"]);
    storage.stored["one"] = 9;
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("5 7 "), positions());
}

TEST(delivery, starts_again_with_a_storage_that_lost_its_last_changes) {
    store.revocations = {7, {revocation("eva", 1)}, false};
    expect(Delivery::Outcome::complete);
    storage.stored[""] = 2;
    expect(Delivery::Outcome::complete);
    storage.stored.clear();
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("0 2 0 "), positions());
}

// The database is a standby that lags behind. Another server delivers the rest.
TEST(delivery, from_a_lagging_database_starts_again_once) {
    storage.stored[""] = 9;
    store.revocations = {7, {}, false};
    expect(Delivery::Outcome::partial);
    expect(Delivery::Outcome::complete);
    storage.stored[""] = 9;
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("9 0 7 "), positions());
}

TEST(delivery, ends_sessions_opened_up_to_a_second_after_a_revocation) {
    store.revocations = {7, {revocation("eva", 2000)}, false};
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("eva "), storage.ended);
    LONGS_EQUAL(3000, storage.before);
}

TEST(delivery, ending_a_session_keeps_later_sessions_and_ones_with_rows) {
    storage.sessions = {{"before", "1970-01-01T00:00:02.999Z"},
                        {"after", "1970-01-01T00:00:03.000Z"},
                        {"row", ""},
                        {"unknown", ""}};
    store.sessions["row"] = {};
    store.revocations = {7, {revocation("eva", 2000)}, false};
    store.revocations.rows[0].session_id = "ended";
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("eva before unknown "), storage.ended);
    LONGS_EQUAL(0, storage.before);
}

TEST(delivery, ending_a_session_keeps_stored_sessions_with_another_id) {
    storage.sessions = {{"other", "", "another"}, {"own", "", "ended"}};
    store.revocations = {7, {revocation("eva", 2000)}, false};
    store.revocations.rows[0].session_id = "ended";
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("eva own "), storage.ended);
}

TEST(delivery, ends_a_stored_session_whose_token_is_not_text) {
    storage.sessions = {{"\xff", ""}};
    store.failures["caller"] = store::Failure::failed;
    store.revocations = {7, {revocation("eva", 2000)}, false};
    store.revocations.rows[0].session_id = "ended";
    expect(Delivery::Outcome::complete);
    CHECK_EQUAL(std::string("eva \xff "), storage.ended);
}

TEST_GROUP(redis_storage) {
    const EndlessReply server;

    /// Connects, and stops the storage while it reads the response. Returns what it then reports.
    std::string error_after_stop() const {
        secondary_storage::RedisStorage storage({"127.0.0.1", server.port()},
                                                std::chrono::hours(1));
        std::thread stopper([&] {
            while (!server.has_begun())
                std::this_thread::yield();
            storage.stop();
        });
        CHECK_FALSE(storage.connect());
        stopper.join();
        return std::string(storage.problem());
    }
};

TEST(redis_storage, times_out_on_an_endless_reply) {
    secondary_storage::RedisStorage storage({"127.0.0.1", server.port()},
                                            std::chrono::milliseconds(100));
    CHECK_FALSE(storage.connect());
    CHECK_EQUAL(std::string("timed out"), storage.problem());
}

TEST(redis_storage, is_not_inherited_by_other_programs) {
    error_after_stop();
    CHECK_FALSE(server.is_client_inherited());
}

TEST(redis_storage, aborts_a_running_command_if_it_is_stopped) {
    CHECK_EQUAL(std::string("timed out"), error_after_stop());
}

TEST_GROUP(redis_errors){};

TEST(redis_errors, do_not_repeat_the_password) {
    const EndlessReply server("-ERR unknown command 'AUTH', with args beginning with: 'eva' "
                              "'s3cr3t' \r\n");
    secondary_storage::RedisAddress address{"127.0.0.1", server.port()};
    address.user = "eva";
    address.password = "s3cr3t";
    secondary_storage::RedisStorage storage(address, std::chrono::minutes(1));
    CHECK_FALSE(storage.connect());
    CHECK_EQUAL(std::string("ERR unknown command 'AUTH'"), storage.problem());
}

} // namespace useradmin::test
