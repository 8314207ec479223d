// Sessions that were looked up a short while ago, for all processes together.
#pragma once

#include "store/store.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// Sessions in shared memory of a fixed size, 8,192 of them. When there is no room, the oldest of a
/// few goes. Credentials and tokens are kept as digests alone, which lie where nobody can tell who
/// does not know the memory's random bytes. A process that is killed wedges nobody.
class SessionCache {
  public:
    using Clock = std::chrono::steady_clock;

    /// Longer ids and roles are not kept; nor are the sessions that have them, nor those of users
    /// who are impersonated.
    static constexpr std::size_t max_text_length = 64;

    /// How many bytes of shared memory the sessions need.
    static std::size_t size_of() noexcept;

    /// Lays them out in shared memory of size_of() bytes, aligned for any type. The memory belongs
    /// to the caller and outlives the object. Called once, before the processes fork; false where
    /// the system refuses.
    static bool init(void* memory) noexcept;

    /// The sessions in memory that init prepared.
    explicit SessionCache(void* memory) noexcept : memory_(memory) {}

    /// A time in the order of what is forgotten.
    using Generation = std::uint64_t;
    /// To be taken before a session is looked up: what is forgotten from then on stays forgotten.
    Generation generation() const noexcept;

    /// Of a session what says whether it counts, and for whom.
    struct CachedSession {
        model::NullableTime expires_at;
        bool banned = false;
        model::NullableTime ban_expires;
        bool has_role = false;
        std::uint8_t user_id_size = 0;
        std::uint8_t role_size = 0;
        std::array<char, max_text_length> user_id;
        std::array<char, max_text_length> role;

        /// The session and its user with these fields alone. Views of this object.
        store::SessionWithUser signed_in() const noexcept;
    };

    /// The session that was kept for a credential (a token with its signature, if it has one) of a
    /// place (a database, its tables and what the tokens are signed with, as one text), where it
    /// was looked up less than that long ago.
    std::optional<CachedSession> find(std::string_view place, std::string_view credential,
                                      std::chrono::seconds age, Clock::time_point now) const;
    /// Keeps a session that was looked up at that time by the token of the credential, unless
    /// something was forgotten since the generation.
    void put(std::string_view place, std::string_view credential, std::string_view token,
             const store::SessionWithUser& session, Generation generation,
             Clock::time_point now) const;

    /// Forgets a user's sessions, those of users of the same id elsewhere too: one database can be
    /// named in many ways.
    void invalidate_user(std::string_view id) noexcept;
    /// Forgets the session with that token, everywhere.
    void invalidate_session(std::string_view token) noexcept;
    /// Takes no lock: a process that trusts the others less than itself may call it.
    void invalidate_all() noexcept;

  private:
    void* memory_;
};

} // namespace useradmin::sign_in
