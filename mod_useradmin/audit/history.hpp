// The history of a user in an audit log.
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
    /// The offset in the log at which to continue with earlier lines; 0 if there are none.
    std::int64_t earlier = 0;
};

/// Reads the lines of a target that precede an offset, newest first. Stops after most_lines lines
/// or 64 MiB of the log. Omits lines that do not match their hash. Returns nothing if the file
/// cannot be read.
std::optional<History> read_history(int log, std::string_view target, std::int64_t before,
                                    std::size_t most_lines);

} // namespace useradmin::audit
