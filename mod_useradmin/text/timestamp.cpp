#include "text/timestamp.hpp"

#include "text/number.hpp"

#include <cstdint>

namespace useradmin::text {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// The range that std::chrono's calendar can represent.
constexpr Timestamp first_time = std::chrono::sys_days(std::chrono::year::min() / 1 / 1);
constexpr Timestamp last_time =
    std::chrono::sys_days(std::chrono::year::max() / 12 / 31) + days(1) - milliseconds(1);

bool is_digit(char character) noexcept {
    return character >= '0' && character <= '9';
}

/// The unparsed rest of a timestamp. Each function consumes what it parses. After a failure, the
/// results are unspecified.
class Cursor {
  public:
    explicit Cursor(std::string_view text) noexcept : rest_(text) {}

    bool at_end() const noexcept { return rest_.empty(); }
    bool has_failed() const noexcept { return has_failed_; }
    int fail() noexcept {
        has_failed_ = true;
        return 0;
    }

    bool take(char expected) noexcept {
        const bool found = !rest_.empty() && rest_.front() == expected;
        rest_.remove_prefix(found ? 1 : 0);
        return found;
    }

    /// Takes the character, or fails.
    void require(char expected) noexcept {
        if (!take(expected))
            fail();
    }

    /// Takes a number of exactly `digits` digits that is at most `largest`, or fails.
    int number(std::size_t digits, int largest) noexcept {
        if (rest_.size() < digits)
            return fail();
        int value = 0;
        for (const char digit : rest_.substr(0, digits)) {
            if (!is_digit(digit))
                return fail();
            value = value * 10 + (digit - '0');
        }
        rest_.remove_prefix(digits);
        return value <= largest ? value : fail();
    }

    std::size_t count_digits() const noexcept {
        std::size_t count = 0;
        while (count < rest_.size() && is_digit(rest_[count]))
            ++count;
        return count;
    }

  private:
    std::string_view rest_;
    bool has_failed_ = false;
};

Timestamp from_unix(std::int64_t number) noexcept {
    return is_in_seconds(number) ? Timestamp(seconds(number)) : Timestamp(milliseconds(number));
}

/// Parses a year: four digits, five after 9999 (PostgreSQL), or a sign and six digits (ECMAScript).
int take_year(Cursor& cursor) noexcept {
    constexpr int largest = static_cast<int>(std::chrono::year::max());
    if (cursor.take('+'))
        return cursor.number(6, largest);
    if (cursor.take('-'))
        return -cursor.number(6, largest);
    const auto digits = cursor.count_digits();
    return digits == 4 || digits == 5 ? cursor.number(digits, largest) : cursor.fail();
}

Timestamp take_date(Cursor& cursor) noexcept {
    const std::chrono::year year(take_year(cursor));
    cursor.require('-');
    const std::chrono::month month(static_cast<unsigned>(cursor.number(2, 12)));
    cursor.require('-');
    const std::chrono::day day(static_cast<unsigned>(cursor.number(2, 31)));
    const std::chrono::year_month_day date(year, month, day);
    if (date.ok())
        return std::chrono::sys_days(date);
    cursor.fail();
    return {};
}

/// Parses the fraction of a second. Ignores digits after the third.
milliseconds take_fraction(Cursor& cursor) noexcept {
    const auto digits = cursor.count_digits();
    if (digits == 0)
        cursor.fail();
    int value = 0;
    int unit = 100;
    for (std::size_t i = 0; i < digits; ++i) {
        value += cursor.number(1, 9) * unit;
        unit /= 10;
    }
    return milliseconds(value);
}

/// Parses HH:MM, HH:MM:SS or HH:MM:SS.fraction.
milliseconds take_time_of_day(Cursor& cursor) noexcept {
    milliseconds time = hours(cursor.number(2, 23));
    cursor.require(':');
    time += minutes(cursor.number(2, 59));
    if (!cursor.take(':'))
        return time;
    time += seconds(cursor.number(2, 59));
    return cursor.take('.') ? time + take_fraction(cursor) : time;
}

/// Parses a UTC offset: nothing or Z for 0, or a sign and HH, HHMM, HH:MM or HH:MM:SS. PostgreSQL
/// writes seconds for historical local mean times.
seconds take_offset(Cursor& cursor) noexcept {
    if (cursor.at_end() || cursor.take('Z'))
        return seconds(0);
    const bool is_negative = cursor.take('-');
    if (!is_negative)
        cursor.require('+');
    seconds offset = hours(cursor.number(2, 23));
    if (!cursor.at_end()) {
        const bool colon = cursor.take(':');
        offset += minutes(cursor.number(2, 59));
        if (colon && cursor.take(':'))
            offset += seconds(cursor.number(2, 59));
    }
    return is_negative ? -offset : offset;
}

std::optional<Timestamp> parse_iso8601(std::string_view text) noexcept {
    Cursor cursor(text);
    Timestamp time = take_date(cursor);
    if (!cursor.at_end()) {
        if (!cursor.take(' '))
            cursor.require('T');
        time += take_time_of_day(cursor);
        time -= take_offset(cursor);
    }
    return cursor.at_end() && !cursor.has_failed() ? std::optional(time) : std::nullopt;
}

/// Writes the number with leading zeros and returns the end of the output.
char* write_digits(char* out, int number, int digits) noexcept {
    for (int i = digits - 1; i >= 0; --i) {
        out[i] = static_cast<char>('0' + number % 10);
        number /= 10;
    }
    return out + digits;
}

char* write_year(char* out, int year) noexcept {
    if (year >= 0 && year <= 9999)
        return write_digits(out, year, 4);
    *out++ = year < 0 ? '-' : '+';
    return write_digits(out, year < 0 ? -year : year, 6);
}

} // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept {
    const auto number = parse_integer<std::int64_t>(text);
    const auto time = number ? std::optional(from_unix(*number)) : parse_iso8601(text);
    return time && *time >= first_time && *time <= last_time ? time : std::nullopt;
}

std::optional<Timestamp> parse_date(std::string_view text) noexcept {
    const auto time = parse_iso8601(text);
    return time && is_storable_year(*time) ? time : std::nullopt;
}

bool is_storable_year(Timestamp time) noexcept {
    using namespace std::chrono;
    // Skip the first day of year 1 (UTC): with a negative offset, it begins in 1 BC.
    constexpr Timestamp first = sys_days(year(1) / 1 / 2);
    constexpr Timestamp end = sys_days(year(10000) / 1 / 1);
    return time >= first && time < end;
}

void append_iso8601(std::string& out, Timestamp time) {
    const auto day = std::chrono::floor<days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);

    char text[32];
    char* end = write_year(text, static_cast<int>(date.year()));
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
