// The lines of an audit log: what stands in them, and how each hangs on the one before it.
#pragma once

#include "audit/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::audit {

/// Where an event came from. The texts live as long as the request.
struct Origin {
    /// The virtual host's name, or "useradminctl".
    std::string_view server = {};
    /// The client's; empty for a command.
    std::string_view address = {};
    /// What other logs know the request by: mod_unique_id's UNIQUE_ID, and the trace of the W3C.
    std::string_view request_id = {};
    std::string_view trace = {};
};

/// Longer texts are cut, at a character's end, and end in an ellipsis then.
inline constexpr std::size_t max_value_length = 512;
/// No line is longer: each of the bounded texts can come to six times its size.
inline constexpr std::size_t max_line_length = std::size_t{36} * 6 * max_value_length;

/// The line of an event as an open JSON object, without the members that chain it. It holds no
/// password, token or hash. The number is that of the line that this one corrects; 0: none.
std::string begin_line(const Event& event, const Origin& origin, text::Timestamp time,
                       std::uint64_t corrects);

/// A place in a chain of lines.
struct ChainPosition {
    /// From 1 on; 0 stands before the first line.
    std::uint64_t number = 0;
    /// The SHA-256 of the line up to its own hash, the hash of the line before it included.
    std::string hash = std::string(64, '0');
};

/// The whole line that follows that place, with its line end; its own place is put there.
std::string close_line(std::string open_object, ChainPosition& position);

/// A line as it was read.
struct ParsedLine {
    ChainPosition position;
    std::string_view previous;
    /// Whether the hash is that of the text.
    bool is_intact = false;
    /// The SHA-256 of the half line that it says stands before it; empty for none.
    std::string_view broken = {};
    /// Whether it is about a change whose outcome is unknown.
    bool is_outcome_unknown = false;
};

/// Reads a line without its line end; nothing where it is none of an audit log. The views are of
/// the line.
std::optional<ParsedLine> parse_line(std::string_view line);
/// The place of the line that the text ends with, line end and all, without a look at whether it is
/// sound; nothing where it ends with none.
std::optional<ChainPosition> last_position(std::string_view text);

/// Adds to an open object that a half line stands before it, which a process left that was killed.
void append_broken_line(std::string& open_object, std::string_view half_line);

} // namespace useradmin::audit
