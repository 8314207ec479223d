#include "ctl/duration.hpp"

#include "ctl/command_error.hpp"

#include <charconv>
#include <utility>

namespace useradmin::ctl {

namespace {

using std::chrono::seconds;

constexpr seconds max_duration = std::chrono::days(36525);

constexpr std::pair<char, seconds> units[] = {{'m', std::chrono::minutes(1)},
                                              {'h', std::chrono::hours(1)},
                                              {'d', std::chrono::days(1)},
                                              {'w', std::chrono::weeks(1)}};

} // namespace

std::optional<seconds> parse_duration(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop + 1 != end || number < 1)
        return std::nullopt;
    for (const auto& [letter, unit] : units)
        if (*stop == letter && number <= max_duration / unit)
            return number * unit;
    return std::nullopt;
}

text::Timestamp parse_expiry(std::string_view text, text::Timestamp now) {
    if (const auto duration = parse_duration(text))
        return now + *duration;
    const auto time = text::parse_date(text);
    if (!time)
        throw UsageError("--expires must be a date (2027-01-31, 2027-01-31T18:00:00Z) or a "
                         "duration (30m, 12h, 7d, 2w)");
    if (*time <= now)
        throw UsageError("--expires is in the past");
    return *time;
}

} // namespace useradmin::ctl
