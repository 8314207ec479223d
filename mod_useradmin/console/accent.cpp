#include "console/accent.hpp"

#include "text/hex.hpp"

#include <algorithm>
#include <cmath>

namespace useradmin::console {

namespace {

constexpr Color white = {255, 255, 255};
constexpr Color black = {0, 0, 0};
// --ground in style.css, and --raised in its dark color scheme.
constexpr Color light_background = {0xf4, 0xf5, 0xf8};
constexpr Color dark_background = {0x1f, 0x24, 0x2c};
constexpr double min_contrast = 4.5;

/// Returns the relative luminance (WCAG 2).
double luminance(const Color& color) noexcept {
    const auto linear = [](int part) {
        const double value = part / 255.0;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

/// Mixes two colors. percent: the share of the other color.
Color mixed(const Color& color, const Color& other, int percent) noexcept {
    const auto part = [&](int one, int two) {
        return (one * (100 - percent) + two * percent) / 100;
    };
    return {part(color.red, other.red), part(color.green, other.green),
            part(color.blue, other.blue)};
}

/// Mixes in just enough of the other color for sufficient contrast with the background.
Color contrasting(const Color& color, const Color& other, const Color& background) noexcept {
    int percent = 0;
    while (percent < 100 && contrast(mixed(color, other, percent), background) < min_contrast)
        ++percent;
    return mixed(color, other, percent);
}

/// Returns the CSS rules of one color scheme. contrast_color: the color to mix in for
/// --accent-strong.
std::string shades(const Color& accent, const Color& background, const Color& contrast_color) {
    // Mix in more background until text in the accent color is readable on --accent-soft.
    int share = 88;
    while (share < 100 && contrast(accent, mixed(accent, background, share)) < min_contrast)
        ++share;
    return ":root{--accent:" + text_of(accent) +
           ";--accent-strong:" + text_of(mixed(accent, contrast_color, 25)) +
           ";--on-accent:" + text_of(contrast(white, accent) >= min_contrast ? white : black) +
           ";--accent-soft:" + text_of(mixed(accent, background, share)) + "}";
}

} // namespace

std::optional<Color> parse_color(std::string_view text) {
    const std::optional<std::string> bytes =
        text.size() == 7 && text[0] == '#' ? text::from_hex(text.substr(1)) : std::nullopt;
    if (!bytes)
        return std::nullopt;
    const auto part = [&](std::size_t at) { return int{static_cast<unsigned char>((*bytes)[at])}; };
    return Color{part(0), part(1), part(2)};
}

std::string text_of(const Color& color) {
    const char bytes[] = {static_cast<char>(color.red), static_cast<char>(color.green),
                          static_cast<char>(color.blue)};
    return "#" + text::hex({bytes, sizeof bytes});
}

double contrast(const Color& one, const Color& other) noexcept {
    const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
    return (lighter + 0.05) / (darker + 0.05);
}

Color readable(Color color) noexcept {
    return contrasting(color, black, light_background);
}

std::string accent_style(const Color& accent) {
    return shades(accent, white, black) + "@media (prefers-color-scheme:dark){" +
           shades(contrasting(accent, white, dark_background), dark_background, white) + "}";
}

} // namespace useradmin::console
