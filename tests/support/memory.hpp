#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace useradmin::test {

/// A string that must not be in memory, and its description for messages.
struct SearchedText {
    std::string what;
    std::string text;
};

/// Where a part of a string was found.
struct Occurrence {
    std::string what;
    std::string part;   ///< the part that was found
    std::string region; ///< the mapping: "[heap]", "[stack]", a file, or empty if anonymous
    std::string around; ///< the surrounding bytes, with dots for unprintable ones
};

/// The minimum length of a part to search for. A string in freed memory may be incomplete, because
/// the allocator overwrites some bytes.
inline constexpr std::size_t min_part = 12;

/// Finds all parts of the strings in a process's writable memory, including shared mappings. Each
/// string must have at least min_part characters. Fails the test if the memory is not readable.
std::vector<Occurrence> find_occurrences(pid_t process, const std::vector<SearchedText>& texts);

/// Finds all parts of the strings in another string, such as the content of a log.
std::vector<Occurrence> find_occurrences(std::string_view text,
                                         const std::vector<SearchedText>& texts);

} // namespace useradmin::test
