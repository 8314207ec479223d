// Searches the writable memory of a running process.
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
    std::string region; ///< the mapping: "[heap]", "[stack]", a file, or nothing
    std::string around; ///< the surrounding bytes; dots for unprintable ones
};

/// The length of the shortest part to search for: the allocator overwrites part of freed memory.
inline constexpr std::size_t min_part = 12;

/// Finds all parts of the strings in a process's writable memory, including shared mappings. Every
/// string must have min_part characters or more. Fails if the memory is not readable.
std::vector<Occurrence> find_occurrences(pid_t process, const std::vector<SearchedText>& texts);

/// Searches a string, such as a log.
std::vector<Occurrence> find_occurrences(std::string_view text,
                                         const std::vector<SearchedText>& texts);

} // namespace useradmin::test
