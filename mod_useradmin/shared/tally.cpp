#include "shared/tally.hpp"

#include <algorithm>
#include <cstring>

namespace useradmin::shared {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                  std::atomic<std::chrono::steady_clock::rep>::is_always_lock_free,
              "a lock would not be shared by processes");

std::uint64_t Tally::count(Clock::time_point now) noexcept {
    constexpr Clock::duration quiet = std::chrono::minutes(1);
    ++times_;
    Clock::rep told_at = told_at_;
    const Clock::duration at = now.time_since_epoch();
    if (told_at != 0 && at - Clock::duration(told_at) < quiet)
        return 0;
    // Of those who come at once, one tells of all.
    return told_at_.compare_exchange_strong(told_at, at.count()) ? times_.exchange(0) : 0;
}

Tally* Tallies::of(std::string_view tag) noexcept {
    std::uint64_t wanted = 0;
    std::memcpy(&wanted, tag.data(), std::min(tag.size(), sizeof wanted));
    for (Entry& entry : entries_) {
        std::uint64_t found = 0;
        if (entry.tag.compare_exchange_strong(found, wanted) || found == wanted)
            return &entry.tally;
    }
    return nullptr;
}

} // namespace useradmin::shared
