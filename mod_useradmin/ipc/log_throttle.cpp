#include "ipc/log_throttle.hpp"

#include <new>

namespace useradmin::ipc {

std::uint64_t LogThrottle::count(std::string_view tag, std::string_view subject,
                                 Clock::time_point now, std::uint32_t max_lines) noexcept {
    constexpr std::chrono::minutes interval(1);
    Table::Key key{};
    try {
        key = lines_.key(subject, tag);
    } catch (const std::bad_alloc&) {
        return 1; // write the line
    }
    {
        const Table::Bucket bucket = lines_.lock(key);
        Table::Entry* entry = bucket.find();
        const std::uint64_t times = 1 + (entry != nullptr ? entry->value.suppressed : 0);
        if (entry != nullptr && entry->age(now) < interval) {
            const bool is_written = entry->value.written < (subject.empty() ? 1 : max_lines);
            entry->value.written += is_written ? 1 : 0;
            entry->value.suppressed = is_written ? 0 : times;
            return is_written ? times : 0;
        }
        if (entry == nullptr)
            entry = bucket.find_replaceable([&](const Table::Entry& other) {
                return subject.empty() || other.written_at == 0 || other.age(now) >= interval;
            });
        if (entry != nullptr) {
            bucket.write(*entry, now, [](Lines& lines) { lines = {0, 1}; });
            return times;
        }
    }
    return count(tag, {}, now);
}

} // namespace useradmin::ipc
