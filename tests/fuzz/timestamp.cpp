// Timestamps in a column of any type.
#include "targets.hpp"

#include "text/timestamp.hpp"

#include <string>

namespace useradmin::fuzz {

void fuzz_timestamp(std::string_view text) {
    const auto time = text::parse_timestamp(text);
    if (!time)
        return;
    if (text.ends_with('Z')) {
        std::string ahead(text.substr(0, text.size() - 1));
        require(text::parse_timestamp(ahead) == time, "a time without an offset is UTC");
        ahead += "+01:30";
        const auto earlier = text::parse_timestamp(ahead);
        require(!earlier || *earlier == *time - std::chrono::minutes(90),
                "a positive offset makes the time earlier");
    }
    std::string written;
    text::append_iso8601(written, *time);
    require(text::parse_timestamp(written) == time, "a formatted time parses to the same time");
    require(written.size() == 24, "a year has four digits");
    require(written.back() == 'Z' && written.find_first_not_of("-0123456789T:.Z") == written.npos,
            "a formatted time has only digits and separators, and is UTC");
}

} // namespace useradmin::fuzz
