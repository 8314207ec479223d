// Secondary storage in Redis or a compatible server.
#pragma once

#include "secondary_storage/storage.hpp"

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>

struct redisContext;
struct redisReply;

namespace useradmin::secondary_storage {

/// The address and the credentials. The strings must outlive the RedisStorage.
struct RedisAddress {
    const char* host = "";
    int port = 6379;
    bool has_tls = false;
    /// The user name, or nullptr for the default user. Ignored without a password.
    const char* user = nullptr;
    /// The password, or nullptr if the server requires none.
    const char* password = nullptr;
    /// The number of the Redis database.
    int database = 0;
    /// The prefix of the application's keys.
    const char* prefix = "";
};

/// A connection to Redis. A failed command closes it, and connect() opens it again. The timeout
/// applies to each command and to the TLS handshake. Resolving the host name may take longer.
class RedisStorage final : public SecondaryStorage {
  public:
    RedisStorage(const RedisAddress& address, std::chrono::milliseconds timeout);
    ~RedisStorage() override;

    /// Connects, unless the current connection still works. Returns false on failure.
    bool connect();
    /// Makes the running call and all later ones fail within the timeout. Any thread may call this
    /// function.
    void stop() noexcept { is_stopped_ = true; }
    bool is_stopped() const noexcept { return is_stopped_; }
    /// Returns why the last call failed, without secrets.
    const std::string& problem() const noexcept { return problem_; }

    std::optional<std::int64_t> position(std::string_view database) override;
    bool set_position(std::string_view database, std::int64_t position) override;
    std::optional<std::vector<StoredSession>> sessions_of(std::string_view user_id) override;
    bool end_sessions(std::string_view user_id, std::span<const std::string_view> tokens) override;
    bool end_all_sessions(std::span<const RevokedUser> users) override;

  private:
    struct ContextDeleter {
        void operator()(redisContext* context) const noexcept;
    };
    struct ReplyDeleter {
        void operator()(redisReply* reply) const noexcept;
    };
    using Reply = std::unique_ptr<redisReply, ReplyDeleter>;
    using Clock = std::chrono::steady_clock;

    std::string key(std::string_view name, std::string_view id) const;
    bool open();
    /// Starts TLS. On failure, closes the connection and returns false.
    bool encrypt();
    /// Runs a command. On failure, closes the connection and returns nullptr.
    Reply run(std::span<const std::string_view> words);
    Reply run(std::initializer_list<std::string_view> words) {
        return run(std::span(words.begin(), words.size()));
    }
    /// Sends the pending command and receives its reply. Returns nullptr on failure.
    Reply receive();
    /// Waits until the socket is ready for the poll() events. Returns false at the deadline or
    /// after stop().
    bool wait_for(short events, Clock::time_point deadline) const noexcept;

    RedisAddress address_;
    std::chrono::milliseconds timeout_;
    std::unique_ptr<redisContext, ContextDeleter> context_;
    std::string problem_;
    std::atomic<bool> is_stopped_ = false;
};

} // namespace useradmin::secondary_storage
