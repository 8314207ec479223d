// The lines of an audit log and their hash chain.
#pragma once

#include "audit/event.hpp"

#include <cstdint>
#include <iterator>
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
    /// mod_unique_id's UNIQUE_ID, which identifies the request in other logs. May be empty.
    std::string_view request_id = {};
    /// The W3C trace id. May be empty.
    std::string_view trace = {};
};

/// The maximum length of a value in bytes. Longer values are truncated at a character boundary, and
/// an ellipsis is appended.
inline constexpr std::size_t max_value_length = 512;
/// The maximum length of a line in bytes. Enough for the old and the new row and 14 other values of
/// maximum length, even if escaping makes them six times as long.
inline constexpr std::size_t max_line_length =
    (2 * std::size(model::user_fields) + 14) * 6 * max_value_length;

/// Returns an event's line as an unfinished JSON object, without the chain members and the closing
/// brace. The line contains no password, password hash or token. corrects: the number of the line
/// that this line corrects, or 0.
std::string begin_line(const Event& event, const Origin& origin, text::Timestamp time,
                       std::uint64_t corrects);

/// Identifies a line of a chain.
struct ChainPosition {
    /// The line number, starting at 1, or 0 before the first line.
    std::uint64_t number = 0;
    /// The SHA-256 of the line up to its "hash" member, in lower-case hexadecimal. All zeros before
    /// the first line.
    std::string hash = std::string(64, '0');
};

/// Returns the "target" member as it appears in lines about this target, for a text search. Quotes
/// in values are escaped, so no value contains this text.
std::string target_member(std::string_view target);

/// Returns a line from begin_line() with its number, its hashes, the closing brace and a newline.
/// Sets the position to this line. Call append_origin_of_chain() first.
std::string close_line(std::string open_object, ChainPosition& position);

struct ParsedLine {
    ChainPosition position;
    /// The hash of the previous line.
    std::string_view previous;
    /// Whether the hash matches the line.
    bool is_intact = false;
    /// The SHA-256 of the partial line before this one. Empty if there is none.
    std::string_view broken = {};
    /// The host that wrote the line. Empty in lines of earlier versions.
    std::string_view host = {};
    /// The log's instance id. Empty in lines of earlier versions.
    std::string_view instance = {};
    /// The time, such as "2026-11-27T08:00:00.000Z". Empty if the line does not start with it.
    std::string_view time = {};
    /// Whether the line records a change with an unknown outcome.
    bool is_outcome_unknown = false;
    /// The JSON object without the chain members and the closing brace.
    std::string_view members = {};
};

/// Parses a line, given without its newline. Returns std::nullopt if the text is not a line of an
/// audit log. The views refer to the argument.
std::optional<ParsedLine> parse_line(std::string_view line);
/// Parses only the chain members of the last line, without checking its hash. The beginning of the
/// line may be missing. Returns std::nullopt if the text does not end with a line of an audit log.
/// The views refer to the text.
std::optional<ParsedLine> last_line(std::string_view text);

/// Adds the hash of the partial line that a killed process left before this one.
void append_broken_line(std::string& open_object, std::string_view partial_line);

/// The length of an instance id, in hexadecimal digits.
inline constexpr std::size_t instance_size = 16;
/// Returns a random instance id for a new log.
std::string new_instance();

/// Adds the members that identify the chain: the host name and the instance id. Call it after
/// append_broken_line(), because parse_line() expects this order.
void append_origin_of_chain(std::string& open_object, std::string_view instance);

} // namespace useradmin::audit
