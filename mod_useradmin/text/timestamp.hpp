// Parses timestamps from databases and formats them for the API.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::text {

/// A point in time in UTC, in milliseconds.
using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

/// The range of times in databases and responses: the years 1 to 9999.
inline constexpr Timestamp first_time = std::chrono::sys_days(std::chrono::year(1) / 1 / 1);
inline constexpr Timestamp last_time =
    std::chrono::sys_days(std::chrono::year(10000) / 1 / 1) - std::chrono::milliseconds(1);

/// Unix times of a smaller magnitude are in seconds, all others in milliseconds. In seconds, this
/// constant is the start of the year 10000, just beyond last_time.
inline constexpr std::int64_t first_milliseconds = 253'402'300'800;

/// Returns whether a Unix time is in seconds, not in milliseconds.
constexpr bool is_in_seconds(std::int64_t unix_time) noexcept {
    return unix_time > -first_milliseconds && unix_time < first_milliseconds;
}

/// Parses a timestamp as PostgreSQL (DateStyle ISO) or SQLite stores it, such as "2026-11-20
/// 23:30:19.717+00", "2026-11-20T23:30:19.717Z" or only a date. Without an offset, the time is in
/// UTC. Ignores digits after the millisecond. An integer is a Unix time, in seconds if
/// is_in_seconds(), otherwise in milliseconds. Returns std::nullopt for any other string, such as
/// "infinity" or "… BC", and for times before first_time or after last_time.
std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept;

/// Parses a timestamp from a request, a command line or a file. Accepts what parse_timestamp()
/// accepts, except integers and years that some databases cannot store.
std::optional<Timestamp> parse_date(std::string_view text) noexcept;

/// Returns whether every database can store the time: from January 2 of year 1 through year 9999.
bool is_storable_year(Timestamp time) noexcept;

/// Appends the time as ISO 8601 in UTC with milliseconds, such as 2026-11-20T23:30:19.717Z. The
/// time must be between first_time and last_time.
void append_iso8601(std::string& out, Timestamp time);

Timestamp now() noexcept;

} // namespace useradmin::text
