#include "text/timestamp.hpp"

#include "text/number.hpp"

#include <algorithm>
#include <cstdint>

namespace useradmin::text {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Consumes the character. Returns whether the text began with it.
bool take(std::string_view& text, char expected) noexcept {
    const bool found = text.starts_with(expected);
    text.remove_prefix(found ? 1 : 0);
    return found;
}

/// Consumes a number of exactly `digits` digits. Returns std::nullopt if there is none or it is
/// greater than `max`.
std::optional<unsigned> take_number(std::string_view& text, std::size_t digits,
                                    unsigned max) noexcept {
    if (text.size() < digits)
        return std::nullopt;
    const auto number = parse_integer<unsigned>(text.substr(0, digits), 0, max);
    if (number)
        text.remove_prefix(digits);
    return number;
}

/// Consumes HH, HHMM, HH:MM, HH:MM:SS or HH:MM:SS.fraction. Ignores digits after the millisecond.
std::optional<milliseconds> take_clock(std::string_view& text) noexcept {
    const auto hour = take_number(text, 2, 23);
    const bool has_colon = take(text, ':');
    const auto minute = has_colon || !text.empty() ? take_number(text, 2, 59) : 0U;
    const bool has_seconds = has_colon && take(text, ':');
    const auto second = has_seconds ? take_number(text, 2, 59) : 0U;
    if (!hour || !minute || !second)
        return std::nullopt;
    milliseconds time = hours(*hour) + minutes(*minute) + seconds(*second);
    if (!has_seconds || !take(text, '.'))
        return time;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0)
        return std::nullopt;
    int unit = 100;
    for (const char digit : text.substr(0, digits)) {
        time += milliseconds((digit - '0') * unit);
        unit /= 10;
    }
    text.remove_prefix(digits);
    return time;
}

std::optional<Timestamp> parse_iso8601(std::string_view text) noexcept {
    const auto year = take_number(text, 4, 9999);
    const bool has_month = take(text, '-');
    const auto month = take_number(text, 2, 12);
    const bool has_day = take(text, '-');
    const auto day = take_number(text, 2, 31);
    if (!year || !has_month || !month || !has_day || !day)
        return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(*month), std::chrono::day(*day));
    if (!date.ok())
        return std::nullopt;
    const Timestamp midnight = std::chrono::sys_days(date);
    if (text.empty())
        return midnight;
    const bool has_time = take(text, ' ') || take(text, 'T');
    // Only an offset may omit the colon and the minutes.
    if (!has_time || text.find(':') != 2)
        return std::nullopt;
    const auto clock = take_clock(text);
    if (!clock)
        return std::nullopt;
    const Timestamp time = midnight + *clock;
    if (text.empty() || text == "Z")
        return time;
    const bool is_negative = take(text, '-');
    if (!is_negative && !take(text, '+'))
        return std::nullopt;
    // PostgreSQL writes offsets with seconds for historical local mean times.
    const auto offset = take_clock(text);
    if (!offset || !text.empty())
        return std::nullopt;
    return is_negative ? time + *offset : time - *offset;
}

/// Writes the number with leading zeros and returns the end of the output.
char* write_digits(char* out, int number, int digits) noexcept {
    for (int i = digits - 1; i >= 0; --i) {
        out[i] = static_cast<char>('0' + number % 10);
        number /= 10;
    }
    return out + digits;
}

} // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept {
    std::optional<Timestamp> time;
    if (const auto number = parse_integer<std::int64_t>(text))
        time =
            is_in_seconds(*number) ? Timestamp(seconds(*number)) : Timestamp(milliseconds(*number));
    else
        time = parse_iso8601(text);
    return time && *time >= first_time && *time <= last_time ? time : std::nullopt;
}

std::optional<Timestamp> parse_date(std::string_view text) noexcept {
    const auto time = parse_iso8601(text);
    return time && is_storable_year(*time) ? time : std::nullopt;
}

bool is_storable_year(Timestamp time) noexcept {
    // Exclude the first day of year 1 (UTC): with a negative offset, it begins in 1 BC.
    return time >= first_time + days(1) && time <= last_time;
}

void append_iso8601(std::string& out, Timestamp time) {
    const auto day = std::chrono::floor<days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);

    char text[32];
    char* end = write_digits(text, static_cast<int>(date.year()), 4);
    *end++ = '-';
    end = write_digits(end, static_cast<int>(static_cast<unsigned>(date.month())), 2);
    *end++ = '-';
    end = write_digits(end, static_cast<int>(static_cast<unsigned>(date.day())), 2);
    *end++ = 'T';
    end = write_digits(end, static_cast<int>(clock.hours().count()), 2);
    *end++ = ':';
    end = write_digits(end, static_cast<int>(clock.minutes().count()), 2);
    *end++ = ':';
    end = write_digits(end, static_cast<int>(clock.seconds().count()), 2);
    *end++ = '.';
    end = write_digits(end, static_cast<int>(clock.subseconds().count()), 3);
    *end++ = 'Z';
    out.append(text, end);
}

Timestamp now() noexcept {
    return std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
}

} // namespace useradmin::text
