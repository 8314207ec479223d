// A cache of session lookups, shared by all processes.
#pragma once

#include "ipc/shared_table.hpp"
#include "store/store.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace useradmin::store {

/// Caches up to 8,192 sessions in less than 2 MiB of shared memory. If a session's bucket is full,
/// the oldest entry of the bucket is replaced. Credentials and tokens are stored as keyed digests.
/// Stays usable if a process is killed.
class SessionCache {
  public:
    using Clock = std::chrono::steady_clock;

    /// Sessions with longer ids or roles are not cached.
    static constexpr std::size_t max_text_length = 64;

    /// Initializes the object in zeroed shared memory, before the processes fork. Returns false on
    /// a system error.
    [[nodiscard]] bool init() noexcept { return sessions_.init() && progress_.init(); }

    /// Removes the sessions of users whose privileges or sessions another server has revoked. Reads
    /// the table of revocations unless a process has begun to do so within the last second. Returns
    /// false if the read fails or if the last successful read was at least two seconds ago. In this
    /// case, no cached session may be used. If there was no table at the last read, returns true
    /// even while the database is unavailable.
    bool catch_up(Store& store, std::string_view tables_id, Clock::time_point now);

    /// A counter of invalidations.
    using Generation = std::uint64_t;
    /// Returns the current generation. Call it before a lookup in the database. If anything has
    /// been invalidated since then, put() discards the session.
    Generation generation() const noexcept { return generation_; }

    /// The parts of a session that determine its validity and its user.
    struct CachedSession {
        model::NullableTime expires_at;
        bool banned = false;
        model::NullableTime ban_expires;
        bool has_role = false;
        std::uint8_t user_id_size = 0;
        std::uint8_t role_size = 0;
        std::array<char, max_text_length> user_id;
        std::array<char, max_text_length> role;

        /// Returns the fields as a session and its user. String views refer to this object.
        SessionWithUser session_with_user() const noexcept;
    };

    /// Returns the cached session of a credential if it was looked up less than `age` ago. The
    /// credential is a token, with its signature if it has one. `tables_id` identifies the
    /// database, the tables and the secret.
    std::optional<CachedSession> find(std::string_view tables_id, std::string_view credential,
                                      std::chrono::seconds age, Clock::time_point now);
    /// Caches a session that was looked up by the credential's token, unless anything was
    /// invalidated since `generation`. Does not cache impersonated sessions.
    void put(std::string_view tables_id, std::string_view credential, std::string_view token,
             const SessionWithUser& session, Generation generation, Clock::time_point now);

    /// Removes the sessions of a user id in all databases, because different parameters may refer
    /// to the same database.
    void invalidate_user(std::string_view id) noexcept;
    /// Removes the session of a token in all databases.
    void invalidate_session(std::string_view token) noexcept;
    /// Removes all sessions. Takes no lock, so httpd's parent process can call it without waiting
    /// for its less trusted children.
    void invalidate_all() noexcept;

  private:
    struct Entry {
        Generation generation;
        /// The key of the token without its signature.
        std::array<unsigned char, 16> token;
        CachedSession session;
    };
    using Sessions = ipc::SharedTable<Entry, 64, 16>;

    /// How far the revocations of a set of tables have been read. The entry's age is the time since
    /// the last successful read.
    struct Progress {
        std::int64_t position;
        /// The key of Revocations::database.
        Sessions::Key database;
        /// When the last read began.
        Clock::time_point begun_at;
        bool has_table;
    };
    // Has room for more sets of tables than a server uses. For an evicted set, all revocations
    // would be read again.
    using ProgressTable = ipc::SharedTable<Progress, 4, 32>;

    /// Removes the sessions of users in all databases. `ids` must be sorted.
    void invalidate_users(std::span<const std::string_view> ids) noexcept;

    /// Returns the key of a token. The key is the same for all databases.
    Sessions::Key key_of_token(std::string_view token) const { return sessions_.key("", token); }

    std::atomic<Generation> generation_;
    /// The generation of the last invalidate_all().
    std::atomic<Generation> oldest_valid_generation_;
    Sessions sessions_;
    ProgressTable progress_;
    static_assert(std::atomic<Generation>::is_always_lock_free,
                  "a lock would not be shared by processes");
};

} // namespace useradmin::store
