// Searches the memory of a running process: as much as its core would hold.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace useradmin::test {

/// A text that must not be in memory, and what it is, for messages.
struct SearchedText {
    std::string what;
    std::string text;
};

/// Where a part of a text was found.
struct Occurrence {
    std::string what;
    std::string part;   ///< what was found of it
    std::string region; ///< of the memory: "[heap]", "[stack]", a file, or nothing
    std::string around; ///< the bytes before and after it, those that are no letters as dots
};

/// How many characters of a text are enough to be found: the allocator overwrites a part of what
/// was freed.
inline constexpr std::size_t min_part = 12;

/// All places of a process's writable memory that hold a part of a text. Those under the name
/// of a file that are shared with other processes are looked at as well. Every text has min_part
/// characters or more. Fails where the memory may not be read.
std::vector<Occurrence> find_occurrences(pid_t process, const std::vector<SearchedText>& texts);

/// The same in a text of any kind, such as a log.
std::vector<Occurrence> find_occurrences(std::string_view text,
                                         const std::vector<SearchedText>& texts);

} // namespace useradmin::test
