// The console's accent colour (UserAdminConsoleAccent).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::console {

/// An sRGB colour. Each component is from 0 to 255.
struct Colour {
    int red;
    int green;
    int blue;
};

/// Parses a colour in the form #rrggbb. Returns std::nullopt for any other string.
std::optional<Colour> parse_colour(std::string_view text);
/// Returns the colour as #rrggbb.
std::string text_of(const Colour& colour);
/// Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2).
double contrast(const Colour& one, const Colour& other) noexcept;

/// Returns the colour, darkened if necessary until text in this colour is readable on the light
/// background (WCAG 2.2, 1.4.3).
Colour readable(Colour colour) noexcept;
/// Returns the CSS rules for the light and dark colour schemes. accent: a colour from readable().
std::string accent_style(const Colour& accent);

} // namespace useradmin::console
