// Points in time, as the databases write them and as the interface shows them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::text {

/// A point in time in UTC, to the millisecond.
using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

/// Reads what PostgreSQL (DateStyle ISO) and SQLite hold: "2026-11-20 23:30:19.717+00",
/// "2026-11-20T23:30:19.717Z", a date alone, any offset (+05:30, -03); no offset means UTC. Digits
/// past the millisecond are cut off. A whole number is a Unix time, in milliseconds when its
/// magnitude is 100,000,000,000 or more, else in seconds. Nothing for any other text ("infinity",
/// "… BC"), nor for a year that std::chrono has not (beyond 32767).
std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept;

/// Reads a time that people write, as above but for whole numbers, and of a year that every
/// database has: 1 to 9999.
std::optional<Timestamp> parse_date(std::string_view text) noexcept;

/// Whether the time is of such a year.
bool is_storable_year(Timestamp time) noexcept;

/// Appends a time of a year that std::chrono has as ISO 8601 in UTC with milliseconds:
/// 2026-11-20T23:30:19.717Z. Years outside 0000 to 9999 are written as ECMAScript writes them:
/// +012345-01-01T00:00:00.000Z.
void append_iso8601(std::string& out, Timestamp time);

/// The current time.
Timestamp now() noexcept;

} // namespace useradmin::text
