// Templates for messages that contain a link.
#pragma once

#include "http/language.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::mail {

enum class Kind { set_password, invitation, verify_email };

/// A subject and a body with the placeholders {name}, {email}, {link} and {hours}.
struct Template {
    std::string_view subject;
    std::string_view text;
};

/// Holds a template for each kind and language.
struct Templates {
    std::array<std::array<Template, 2>, 3> all;

    constexpr const Template& of(Kind kind, http::Language language) const noexcept {
        return all[static_cast<std::size_t>(kind)][static_cast<std::size_t>(language)];
    }
};

extern const Templates default_templates;

/// The maximum size of a template file in bytes.
inline constexpr std::size_t max_templates_size = 65536;

/// Parses a template file. Each template starts with a line such as "[set-password en]", a subject
/// line and an empty line. Missing templates keep their built-in text. The returned views refer to
/// the argument. Returns an error message if the file is invalid.
std::variant<Templates, std::string> parse_templates(std::string_view text);

/// The values of a template's placeholders.
struct Values {
    std::string_view name;
    std::string_view email;
    std::string_view link;
    std::chrono::hours lifetime;
};

/// Replaces the placeholders in the text. Truncates a long name and escapes its control characters.
/// If mail programs could show a part of the name as a link, uses the address as the name.
std::string fill(std::string_view text, const Values& values);

/// The placeholder for the token in the URL of a link.
inline constexpr std::string_view token_placeholder = "{token}";

} // namespace useradmin::mail
