// Verification of audit logs.
#pragma once

#include "audit/chain.hpp"

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::audit {

/// A log to verify, or a rotated part of it.
struct Source {
    std::string name;
    std::istream* text;
    /// The last written position, from the .chain file.
    std::optional<ChainPosition> last_written = {};
};

/// The lines of one host and instance, or lines of earlier versions that are linked by their
/// hashes.
struct ChainFindings {
    /// Empty in lines of earlier versions.
    std::string host;
    std::string instance;
    /// The name of the source of the first line.
    std::string source;
    std::uint64_t lines = 0;
    ChainPosition first;
    ChainPosition last;
    /// Whether none of the problems is about the chain.
    bool is_intact = true;
};

/// The result of a verification.
struct Findings {
    /// The chains in the order of their first lines in the verification.
    std::vector<ChainFindings> chains;
    /// The number of lines of all chains.
    std::uint64_t lines = 0;
    /// Missing, changed or damaged lines.
    std::vector<std::string> problems;
    /// Remarks that are not problems.
    std::vector<std::string> notes;
    /// The number of changes with an unknown outcome, and the locations of the first ones.
    std::uint64_t unknown = 0;
    std::vector<std::string> unknown_lines;
    /// For each source: the number of its lines, and the index of its last line's chain, for lines
    /// without a host.
    struct Part {
        std::uint64_t lines = 0;
        std::optional<std::size_t> chain;
    };
    std::vector<Part> parts;
};

/// Verifies the chains across all sources, in any order. Within a source, the numbers of a chain
/// must increase. Lines of different sources and of different chains may interleave. Each
/// known hash must be that of an intact line. Limits the number of reported problems.
Findings verify(const std::vector<Source>& sources, std::vector<std::string> known_hashes,
                const std::function<void(std::uint64_t lines)>& progress);

/// Passes the verified lines to the function in the order of their times, without newlines. The
/// lines of a chain stay in the order of their numbers. sources: those that were verified, at their
/// beginning.
void merge(const std::vector<Source>& sources, const Findings& found,
           const std::function<void(std::string_view line)>& write);

} // namespace useradmin::audit
