// The history of a user in an audit log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::audit {

/// A page of a user's history.
struct History {
    /// JSON objects without the chain members, newest first.
    std::vector<std::string> lines = {};
    /// The offset to pass as `before` to continue the search, or 0 if the start of the log was
    /// reached.
    std::int64_t earlier = 0;
};

/// Reads a target's lines before an offset, newest first. Stops after max_lines lines or 64 MiB of
/// the log. Omits lines whose hash does not match. Returns std::nullopt if the log cannot be read.
/// log: the descriptor of a log file that is open for reading.
std::optional<History> read_history(int log, std::string_view target, std::int64_t before,
                                    std::size_t max_lines);

} // namespace useradmin::audit
