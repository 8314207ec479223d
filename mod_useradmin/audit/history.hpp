// What an audit log says about one user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::audit {

/// Some lines of a log.
struct History {
    /// JSON objects without the members of the chain, newest first.
    std::vector<std::string> lines = {};
    /// The position in the log before which earlier lines are; 0 if there are none.
    std::int64_t earlier = 0;
};

/// Reads the lines with a target backwards, from a position or, if it is later, from the log's end.
/// Ends after most_lines, or 64 MiB of the log. Omits lines that do not match their hash. Returns
/// nothing if the file cannot be read.
std::optional<History> read_history(int log, std::string_view target, std::int64_t before,
                                    std::size_t most_lines);

} // namespace useradmin::audit
