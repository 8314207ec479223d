// Searches the memory of a running process, as far as a core dump would include it.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace useradmin::test {

/// A text that must not be in memory, and its description for messages.
struct SearchedText {
    std::string what;
    std::string text;
};

/// Where a part of a text was found.
struct Occurrence {
    std::string what;
    std::string part;   ///< the part that was found
    std::string region; ///< the mapping: "[heap]", "[stack]", a file, or nothing
    std::string around; ///< the surrounding bytes; dots for those that are not letters
};

/// The number of characters that suffices to find a text: the allocator overwrites part of freed
/// memory.
inline constexpr std::size_t min_part = 12;

/// Returns all places in a process's writable memory with a part of a text. Also searches shared
/// mappings of the named file. Every text must have min_part characters or more. Fails if the
/// memory may not be read.
std::vector<Occurrence> find_occurrences(pid_t process, const std::vector<SearchedText>& texts);

/// Searches any text, such as a log.
std::vector<Occurrence> find_occurrences(std::string_view text,
                                         const std::vector<SearchedText>& texts);

} // namespace useradmin::test
