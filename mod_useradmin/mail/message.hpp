// Formats messages (RFC 5322).
#pragma once

#include "text/timestamp.hpp"

#include <string>
#include <string_view>

namespace useradmin::mail {

/// A plain-text message. Its addresses must pass is_address().
struct Message {
    std::string_view from;
    /// The sender's name; empty if there is none.
    std::string_view from_name;
    std::string_view to;
    std::string_view subject;
    /// Its lines end with "\n".
    std::string_view text;
    text::Timestamp now;
};

/// Returns whether the string is a plain address for a message header: ASCII, without quotes,
/// comments or lists. A command cannot mistake it for an option.
bool is_address(std::string_view text) noexcept;

/// Returns the message with its header, for "sendmail -t".
std::string format(const Message& message);

} // namespace useradmin::mail
