// Templates of the messages with a link.
#pragma once

#include "http/language.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::mail {

/// The kinds of messages.
enum class Kind { set_password, invitation, verify_email };

/// A subject and a text with the placeholders {name}, {email}, {link} and {hours}.
struct Template {
    std::string_view subject;
    std::string_view text;
};

/// The template of each kind in each language.
struct Templates {
    std::array<std::array<Template, 2>, 3> all;

    constexpr const Template& of(Kind kind, http::Language language) const noexcept {
        return all[static_cast<std::size_t>(kind)][static_cast<std::size_t>(language)];
    }
};

/// The built-in templates.
extern const Templates default_templates;

/// The maximum size of a template file, in bytes.
inline constexpr std::size_t max_templates_size = 65536;

/// Parses templates. Each begins with a line such as "[set-password en]", a line with the subject,
/// and an empty line. The built-in templates replace missing ones. Returns the templates, which
/// refer to the text, or an error message.
std::variant<Templates, std::string> parse_templates(std::string_view text);

/// The values of a template's placeholders.
struct Values {
    std::string_view name;
    std::string_view email;
    std::string_view link;
    std::chrono::hours lifetime;
};

/// Replaces the placeholders in the text.
std::string fill(std::string_view text, const Values& values);

/// The placeholder for the token in the URL of a link.
inline constexpr std::string_view token_mark = "{token}";

} // namespace useradmin::mail
