// The languages of messages, and which of them a request prefers.
#pragma once

#include <string_view>

namespace useradmin::http {

enum class Language { spanish, english };

/// Returns the language tag (RFC 5646).
constexpr std::string_view tag_of(Language language) noexcept {
    return language == Language::english ? "en" : "es";
}

/// Returns the language that a value of Accept-Language prefers (RFC 9110, section 12.5.4). A range
/// with further subtags, such as en-GB, matches its primary language. Of equal weights, the first
/// one counts. Returns Spanish if the value is empty, malformed or accepts neither language.
Language preferred_language(std::string_view accept_language) noexcept;

} // namespace useradmin::http
