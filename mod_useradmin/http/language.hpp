// The languages of messages, chosen by Accept-Language.
#pragma once

#include <string_view>

namespace useradmin::http {

enum class Language { spanish, english };

/// Returns the language tag (RFC 5646).
constexpr std::string_view tag_of(Language language) noexcept {
    return language == Language::english ? "en" : "es";
}

/// Returns the language that an Accept-Language header prefers (RFC 9110, section 12.5.4). A range
/// with more subtags, such as en-GB, matches its primary language. If weights are equal, the first
/// range wins. Ignores malformed ranges. Returns Spanish if the value accepts neither language.
Language preferred_language(std::string_view accept_language) noexcept;

} // namespace useradmin::http
