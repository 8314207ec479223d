#pragma once

#include "audit/chain.hpp"

#include <zlib.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::audit {

/// Closes a file opened with gzopen() or gzdopen() for reading.
struct CloseFile {
    void operator()(gzFile file) const noexcept { gzclose_r(file); }
};

/// A log to verify, or a rotated part of a log.
struct Source {
    std::string name;
    /// A plain or gzip-compressed file.
    std::unique_ptr<gzFile_s, CloseFile> file;
    /// The last position written, from the .chain file. Empty if there is none, as for a rotated
    /// log.
    std::optional<ChainPosition> last_written = {};
};

/// Findings about one chain: the lines of one host and instance. The lines of earlier versions,
/// which have neither, form one chain.
struct ChainFindings {
    /// The host that wrote the lines. Empty if earlier versions wrote them.
    std::string host;
    /// The log's instance id. Empty if the host is empty.
    std::string instance;
    /// The name of the source that contains the first line.
    std::string source;
    std::uint64_t lines = 0;
    ChainPosition first;
    ChainPosition last;
    bool is_intact = true;
};

struct Findings {
    /// The chains, ordered by host and instance.
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
};

/// Verifies the chains across all sources. The sources may be in any order, and their lines may
/// interleave. Within a source, the numbers of a chain must increase. Each known hash must belong
/// to an intact line. Passes each line without its newline to on_line. Lines are passed in order of
/// time, but those of a chain in order of number. Reports at most 100 problems.
Findings verify(const std::vector<Source>& sources, std::vector<std::string> known_hashes,
                const std::function<void(std::string_view line)>& on_line);

} // namespace useradmin::audit
