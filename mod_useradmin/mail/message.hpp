// Formats messages (RFC 5322).
#pragma once

#include "text/timestamp.hpp"

#include <string>
#include <string_view>

namespace useradmin::mail {

/// A plain-text message. Its addresses must pass is_address().
struct Message {
    std::string_view from;
    /// The sender's name. May be empty.
    std::string_view from_name;
    std::string_view to;
    std::string_view subject;
    /// Lines end with "\n".
    std::string_view text;
    text::Timestamp now;
};

/// Returns whether the text is a plain address for a message header: ASCII, without quotes,
/// comments or lists. A leading "-" is not allowed, because a command could take the address for an
/// option.
bool is_address(std::string_view text) noexcept;

/// Returns the message with its header, for "sendmail -t".
std::string format(const Message& message);

} // namespace useradmin::mail
