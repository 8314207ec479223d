// The lines of an audit log and their hash chain.
#pragma once

#include "audit/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::audit {

/// The source of an event. The views are valid for the lifetime of the request.
struct Origin {
    /// The virtual host's name, or "useradminctl".
    std::string_view server = {};
    /// The client's address. Empty for useradminctl.
    std::string_view address = {};
    /// The ids of the request in other logs: mod_unique_id's UNIQUE_ID and the W3C trace id.
    std::string_view request_id = {};
    std::string_view trace = {};
};

/// The maximum length of a value in bytes. Longer values are truncated at a character boundary and
/// end with an ellipsis.
inline constexpr std::size_t max_value_length = 512;
/// The maximum length of a line in bytes. Escaping may lengthen a value sixfold.
inline constexpr std::size_t max_line_length = std::size_t{36} * 6 * max_value_length;

/// Returns an event's line as an open JSON object: without the chain members and the closing brace.
/// The line contains no password, token or hash. corrects: the number of the line that this line
/// corrects, or 0.
std::string begin_line(const Event& event, const Origin& origin, text::Timestamp time,
                       std::uint64_t corrects);

/// A position in the chain.
struct ChainPosition {
    /// The line number, starting at 1, or 0 before the first line.
    std::uint64_t number = 0;
    /// The SHA-256, in hexadecimal, of the line up to its "hash" member.
    std::string hash = std::string(64, '0');
};

/// Returns the "target" member as it appears in the lines of this target, and in no others.
std::string target_member(std::string_view target);

/// Completes a line from begin_line(): returns it with the members of the chain, the closing brace
/// and a newline. Advances the position.
std::string close_line(std::string open_object, ChainPosition& position);

struct ParsedLine {
    ChainPosition position;
    std::string_view previous;
    /// Whether the hash matches the line.
    bool is_intact = false;
    /// The SHA-256 of the truncated line before this one. Empty if there is none.
    std::string_view broken = {};
    /// Identify the machine and the log. Empty in lines of earlier versions.
    std::string_view host = {};
    std::string_view instance = {};
    /// As written in the line, such as "2026-11-27T08:00:00.000Z".
    std::string_view time = {};
    /// Whether the line records a change with an unknown outcome.
    bool is_outcome_unknown = false;
    /// The JSON object without the chain members and the closing brace.
    std::string_view members = {};
};

/// Parses a line, given without its newline. Returns std::nullopt if the text is not a line of an
/// audit log. The views refer to the argument.
std::optional<ParsedLine> parse_line(std::string_view line);
/// Parses only the position, host and instance of the last line, without checking its hash. The
/// beginning of the line may be missing. Returns std::nullopt if the text does not end with a line
/// of an audit log. The views refer to the text.
std::optional<ParsedLine> last_line(std::string_view text);

/// Adds the hash of the truncated line that a killed process left before this one.
void append_broken_line(std::string& open_object, std::string_view half_line);

/// The length of an instance id, in hexadecimal digits.
inline constexpr std::size_t instance_size = 16;
/// Returns a random instance id for a new log.
std::string new_instance();

/// Adds the members that identify the chain: the machine's name and the log's instance. Call it
/// after append_broken_line().
void append_origin_of_chain(std::string& open_object, std::string_view instance);

} // namespace useradmin::audit
