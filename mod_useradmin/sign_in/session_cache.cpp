#include "sign_in/session_cache.hpp"

#include "crypto/random.hpp"
#include "crypto/sha256.hpp"
#include "ipc/mutex.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>
#include <type_traits>

namespace useradmin::sign_in {

namespace {

using Clock = SessionCache::Clock;
using CachedSession = SessionCache::CachedSession;
using Key = std::array<unsigned char, 16>;

// 8,192 sessions in less than 2 MiB.
constexpr std::size_t part_count = 64;
constexpr std::size_t bucket_count = 16;
constexpr std::size_t bucket_size = 8;

struct Entry {
    bool is_used;
    SessionCache::Generation generation;
    /// Of the credential with its place.
    Key key;
    /// Of the token alone.
    Key token;
    Clock::rep looked_up_at;
    CachedSession known;
};
static_assert(std::is_trivially_destructible_v<Entry>);

using Bucket = std::array<Entry, bucket_size>;

struct Part {
    ipc::Mutex mutex;
    bool is_empty;
    std::array<Bucket, bucket_count> buckets;
};

/// The contents of the shared memory.
struct Table {
    std::array<unsigned char, 32> secret;
    std::atomic<SessionCache::Generation> generation;
    /// The generation of the last forget_all().
    std::atomic<SessionCache::Generation> beginning;
    std::array<Part, part_count> parts;
};
static_assert(sizeof(Table) < std::size_t{2} * 1024 * 1024);
static_assert(std::atomic<SessionCache::Generation>::is_always_lock_free,
              "a lock would not be shared by processes");

Table& table_of(void* memory) noexcept {
    return *static_cast<Table*>(memory);
}

/// Removes the matching entries of a locked part.
template <class IsMeant>
void remove(Part& part, const IsMeant& is_meant) noexcept {
    bool is_empty = true;
    for (Bucket& bucket : part.buckets)
        for (Entry& entry : bucket) {
            entry.is_used = entry.is_used && !is_meant(entry);
            is_empty = is_empty && !entry.is_used;
        }
    part.is_empty = is_empty;
}

/// Locks a part. If the owner died, clears the part.
class PartLock {
  public:
    explicit PartLock(Part& part) noexcept : lock_(part.mutex) {
        if (lock_.owner_died())
            remove(
                part, [](const Entry&) { return true; });
    }

  private:
    ipc::LockGuard lock_;
};

/// The place of a key that identifies a token independently of where it was looked up.
constexpr std::string_view anywhere = "";

Key key_of(const Table& table, std::string_view place, std::string_view text) {
    const crypto::Digest digest = crypto::digest(
        {{reinterpret_cast<const char*>(table.secret.data()), table.secret.size()}, place, text});
    Key key;
    std::copy_n(digest.begin(), key.size(), key.begin());
    return key;
}

Part& part_of(Table& table, const Key& key) noexcept {
    return table.parts[key[0] % part_count];
}

Bucket& bucket_of(Part& part, const Key& key) noexcept {
    return part.buckets[key[1] % bucket_count];
}

/// Removes the matching entries. Increments the generation first: a concurrent lookup is then
/// either removed here, or notices the new generation.
template <class IsMeant>
void forget(Table& table, const IsMeant& is_meant) noexcept {
    ++table.generation;
    for (Part& part : table.parts) {
        const PartLock lock(part);
        if (!part.is_empty)
            remove(part, is_meant);
    }
}

/// Free entries are used first.
Clock::rep rank(const Entry& entry) noexcept {
    return entry.is_used ? entry.looked_up_at : std::numeric_limits<Clock::rep>::min();
}

bool fits(std::string_view text) noexcept {
    return text.size() <= SessionCache::max_text_length;
}

std::uint8_t copy(std::string_view text, std::array<char, SessionCache::max_text_length>& to) {
    std::copy(text.begin(), text.end(), to.begin());
    return static_cast<std::uint8_t>(text.size());
}

} // namespace

store::SessionWithUser SessionCache::CachedSession::signed_in() const noexcept {
    store::SessionWithUser session;
    session.session.expires_at = expires_at;
    session.user.id = {user_id.data(), user_id_size};
    if (has_role)
        session.user.role = std::string_view(role.data(), role_size);
    session.user.banned = banned;
    session.user.ban_expires = ban_expires;
    return session;
}

std::size_t SessionCache::size_of() noexcept {
    return sizeof(Table);
}

bool SessionCache::init(void* memory) noexcept {
    Table& table = *new (memory) Table{};
    crypto::random_bytes(table.secret);
    return std::all_of(table.parts.begin(), table.parts.end(), [](Part& part) {
        part.is_empty = true;
        return part.mutex.init();
    });
}

SessionCache::Generation SessionCache::generation() const noexcept {
    return table_of(memory_).generation;
}

std::optional<SessionCache::CachedSession> SessionCache::find(std::string_view place,
                                                              std::string_view credential,
                                                              std::chrono::seconds age,
                                                              Clock::time_point now) const {
    Table& table = table_of(memory_);
    const Key key = key_of(table, place, credential);
    Part& part = part_of(table, key);
    const PartLock lock(part);
    for (const Entry& entry : bucket_of(part, key))
        if (entry.is_used && entry.key == key && entry.generation >= table.beginning &&
            now.time_since_epoch() - Clock::duration(entry.looked_up_at) < age)
            return entry.known;
    return std::nullopt;
}

void SessionCache::put(std::string_view place, std::string_view credential, std::string_view token,
                       const store::SessionWithUser& session, Generation generation,
                       Clock::time_point now) const {
    const model::User& user = session.user;
    // One that is impersonated is looked up each time: what is kept does not say by whom.
    if (!fits(user.id) || !fits(user.role.value_or("")) ||
        !session.session.impersonated_by.value_or("").empty())
        return;
    Table& table = table_of(memory_);
    const Key key = key_of(table, place, credential);
    const Key key_of_token = key_of(table, anywhere, token);
    Part& part = part_of(table, key);
    const PartLock lock(part);
    if (table.generation != generation)
        return;
    Bucket& bucket = bucket_of(part, key);
    // The session's entry, else a free one, else the oldest.
    Entry* chosen = std::find_if(bucket.begin(), bucket.end(), [&](const Entry& entry) {
        return entry.is_used && entry.key == key;
    });
    if (chosen == bucket.end())
        chosen = std::min_element(
            bucket.begin(), bucket.end(),
            [](const Entry& left, const Entry& right) { return rank(left) < rank(right); });
    CachedSession& known = chosen->known;
    part.is_empty = false;
    chosen->is_used = true;
    chosen->generation = generation;
    chosen->key = key;
    chosen->token = key_of_token;
    chosen->looked_up_at = now.time_since_epoch().count();
    known.expires_at = session.session.expires_at;
    known.banned = user.banned;
    known.ban_expires = user.ban_expires;
    known.has_role = user.role.has_value();
    known.user_id_size = copy(user.id, known.user_id);
    known.role_size = copy(user.role.value_or(""), known.role);
}

void SessionCache::invalidate_user(std::string_view id) noexcept {
    forget(
        table_of(memory_),
        [id](const Entry& entry) { return entry.known.signed_in().user.id == id; });
}

void SessionCache::invalidate_session(std::string_view token) noexcept {
    Table& table = table_of(memory_);
    try {
        const Key key = key_of(table, anywhere, token);
        forget(table, [&key](const Entry& entry) { return entry.token == key; });
    } catch (const std::bad_alloc&) {
        invalidate_all(); // forgetting too much is safe
    }
}

void SessionCache::invalidate_all() noexcept {
    Table& table = table_of(memory_);
    table.beginning = ++table.generation;
}

} // namespace useradmin::sign_in
