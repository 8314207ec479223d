// Timestamps: parsing what databases store, and formatting for the API.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::text {

/// A point in time in UTC, to the millisecond.
using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

/// Parses a timestamp of PostgreSQL (DateStyle ISO) or SQLite: "2026-11-20 23:30:19.717+00",
/// "2026-11-20T23:30:19.717Z", a date alone, any offset (+05:30, -03). Without an offset it is UTC.
/// Digits after the millisecond are ignored. An integer is a Unix time: in milliseconds if its
/// magnitude is at least 100,000,000,000, otherwise in seconds. Returns nothing for any other
/// string ("infinity", "… BC") and for years that std::chrono cannot represent (beyond 32767).
std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept;

/// Parses a timestamp that a person typed: as above, but no integers, and only the years 1 to 9999,
/// which every database can store.
std::optional<Timestamp> parse_date(std::string_view text) noexcept;

/// Returns whether the year is 1 to 9999.
bool is_storable_year(Timestamp time) noexcept;

/// Appends the time as ISO 8601 in UTC with milliseconds: 2026-11-20T23:30:19.717Z. Years outside
/// 0000 to 9999 have ECMAScript's form: +012345-01-01T00:00:00.000Z. The year must be one that
/// std::chrono can represent.
void append_iso8601(std::string& out, Timestamp time);

Timestamp now() noexcept;

} // namespace useradmin::text
