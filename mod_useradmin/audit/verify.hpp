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
    /// The last position written, from the .chain file. Empty if there is none, as for a rotated
    /// log.
    std::optional<ChainPosition> last_written = {};
};

/// Findings about one chain: the lines of one host and instance, or lines of earlier versions that
/// are linked by their hashes.
struct ChainFindings {
    /// The host that wrote the lines. Empty if earlier versions wrote all of them.
    std::string host;
    /// The log's instance id. Empty if the host is empty.
    std::string instance;
    /// The name of the source that contains the first line.
    std::string source;
    std::uint64_t lines = 0;
    ChainPosition first;
    ChainPosition last;
    /// Whether the chain has no problems.
    bool is_intact = true;
};

struct Findings {
    /// The chains, in the order in which verify() reads their first lines.
    std::vector<ChainFindings> chains;
    /// The number of lines in all chains.
    std::uint64_t lines = 0;
    /// Missing, changed or damaged lines.
    std::vector<std::string> problems;
    /// Notes that do not affect the result, such as a partial line left by a killed process.
    std::vector<std::string> notes;
    /// The number of lines that record a change with an unknown outcome.
    std::uint64_t unknown = 0;
    /// The locations of the first 100 of these lines.
    std::vector<std::string> unknown_lines;
    /// For each source, the number of lines and a key of the last line's chain. merge() assigns
    /// lines without a host to that chain.
    struct Part {
        std::uint64_t lines = 0;
        std::string chain;
    };
    std::vector<Part> parts;
};

/// Verifies the chains across all sources. The sources may be in any order, and their lines may
/// interleave. Within a source, the numbers of a chain must increase. Each known hash must belong
/// to an intact line. Reports at most 100 problems.
Findings verify(const std::vector<Source>& sources, std::vector<std::string> known_hashes,
                const std::function<void(std::uint64_t lines)>& progress);

/// Passes the verified lines to `write`, ordered by time and without newlines. The lines of a chain
/// stay ordered by number. sources: the verified sources, rewound.
void merge(const std::vector<Source>& sources, const Findings& found,
           const std::function<void(std::string_view line)>& write);

} // namespace useradmin::audit
