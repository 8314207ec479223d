// The console's accent color (UserAdminConsoleAccent).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::console {

/// An sRGB color. Each component is from 0 to 255.
struct Color {
    int red;
    int green;
    int blue;
};

/// Parses a color in the form #rrggbb. Returns std::nullopt for any other string.
std::optional<Color> parse_color(std::string_view text);
/// Returns the color as #rrggbb.
std::string text_of(const Color& color);
/// Returns the contrast ratio of two colors, from 1 to 21 (WCAG 2.2).
double contrast(const Color& one, const Color& other) noexcept;

/// Returns the color, darkened if necessary until text in this color is readable on the light
/// background (WCAG 2.2, 1.4.3).
Color readable(Color color) noexcept;
/// Returns the CSS rules for the light and dark color schemes. accent: a color from readable().
std::string accent_style(const Color& accent);

} // namespace useradmin::console
