// Whether the lines of an audit log are those that were written.
#pragma once

#include "audit/chain.hpp"

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace useradmin::audit {

/// A log to be verified, or a part of it that was moved away.
struct Source {
    std::string name;
    std::istream* text;
    /// The last place that was written, from the file beside the log.
    std::optional<ChainPosition> last_written = {};
};

/// What was found.
struct Findings {
    std::uint64_t lines = 0;
    ChainPosition first;
    ChainPosition last;
    /// What somebody did to the lines, or the disk.
    std::vector<std::string> problems;
    /// What is no problem, and worth knowing.
    std::vector<std::string> notes;
    /// How many changes have an unknown outcome, and where the first lines about them are.
    std::uint64_t unknown = 0;
    std::vector<std::string> unknown_lines;
};

/// Follows the chain over all sources, in whatever order they come: each has its lines in the order
/// of their numbers, and those of the one may stand between those of another. A place that is known
/// from before, if any, must be in the chain. At most so many problems are told.
Findings verify(const std::vector<Source>& sources, std::optional<std::string> known_hash,
                const std::function<void(std::uint64_t lines)>& progress);

} // namespace useradmin::audit
