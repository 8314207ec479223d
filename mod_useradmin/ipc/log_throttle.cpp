#include "ipc/log_throttle.hpp"

#include <algorithm>
#include <cstring>

namespace useradmin::ipc {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                  std::atomic<std::chrono::steady_clock::rep>::is_always_lock_free,
              "a lock would not be shared by processes");

namespace {

/// Whether a minute has passed since then.
bool has_passed(LogThrottle::Clock::rep since, LogThrottle::Clock::time_point now) noexcept {
    return since == 0 ||
           now.time_since_epoch() - LogThrottle::Clock::duration(since) >= std::chrono::minutes(1);
}

/// FNV-1a, never 0.
std::uint64_t hash_of(std::string_view tag, std::string_view network) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::string_view text : {tag, network})
        for (const char character : text)
            hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
    return hash != 0 ? hash : 1;
}

} // namespace

std::uint64_t LogThrottle::count(Clock::time_point now, std::uint32_t times_a_minute) noexcept {
    ++suppressed_;
    Clock::rep since = since_;
    // Of those who come at once, one begins the minute.
    if (has_passed(since, now) &&
        since_.compare_exchange_strong(since, now.time_since_epoch().count())) {
        told_ = 1;
        return suppressed_.exchange(0);
    }
    if (told_ >= times_a_minute || told_++ >= times_a_minute)
        return 0;
    return suppressed_.exchange(0);
}

void LogThrottle::reset() noexcept {
    suppressed_ = 0;
}

bool LogThrottle::is_over(Clock::time_point now) const noexcept {
    return has_passed(since_, now);
}

LogThrottle* LogThrottles::find(std::string_view tag) noexcept {
    std::uint64_t wanted = 0;
    std::memcpy(&wanted, tag.data(), std::min(tag.size(), sizeof wanted));
    for (Entry& entry : entries_) {
        std::uint64_t found = 0;
        if (entry.tag.compare_exchange_strong(found, wanted) || found == wanted)
            return &entry.throttle;
    }
    return nullptr;
}

std::uint64_t LogThrottles::count(std::string_view tag, std::string_view network,
                                  LogThrottle::Clock::time_point now) noexcept {
    constexpr std::size_t bucket_size = 8;
    const std::uint64_t wanted = hash_of(tag, network);
    Entry* const bucket = &clients_[wanted % (clients_.size() / bucket_size) * bucket_size];
    for (Entry* entry = bucket; entry != bucket + bucket_size; ++entry)
        if (entry->tag == wanted)
            return entry->throttle.count(now, lines_of_client);
    for (Entry* entry = bucket; entry != bucket + bucket_size; ++entry) {
        std::uint64_t found = entry->tag;
        if (entry->throttle.is_over(now) && entry->tag.compare_exchange_strong(found, wanted)) {
            entry->throttle.reset();
            return entry->throttle.count(now, lines_of_client);
        }
    }
    LogThrottle* const tally = find(tag);
    return tally != nullptr ? tally->count(now) : 1;
}

} // namespace useradmin::ipc
