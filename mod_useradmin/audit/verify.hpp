// Verification of audit logs.
#pragma once

#include "audit/chain.hpp"

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace useradmin::audit {

/// A log to verify, or a rotated part of it.
struct Source {
    std::string name;
    std::istream* text;
    /// The last written position, from the .chain file.
    std::optional<ChainPosition> last_written = {};
};

/// The findings.
struct Findings {
    std::uint64_t lines = 0;
    ChainPosition first;
    ChainPosition last;
    /// Missing, changed or damaged lines.
    std::vector<std::string> problems;
    /// Remarks that are not problems.
    std::vector<std::string> notes;
    /// The number of changes with an unknown outcome, and the locations of the first ones.
    std::uint64_t unknown = 0;
    std::vector<std::string> unknown_lines;
};

/// Verifies the chain across all sources, in any order. Within a source, numbers must increase.
/// Lines of different sources may interleave. Known positions must be in the chain. Limits the
/// number of reported problems.
Findings verify(const std::vector<Source>& sources, std::optional<std::string> known_hash,
                const std::function<void(std::uint64_t lines)>& progress);

} // namespace useradmin::audit
