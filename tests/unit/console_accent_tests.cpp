// Shades of the console's accent color.
#include "console/accent.hpp"

#include "support/fail_test.hpp"
#include "support/text.hpp"

#include <CppUTest/TestHarness.h>
#include <array>
#include <string>

namespace useradmin::test {

namespace {

using console::Color;

Color color(const std::string& text) {
    return console::parse_color(text).value();
}

/// Returns the value of a property in the light or dark color scheme.
Color shade(const std::string& style, const std::string& property, bool is_dark) {
    const std::string part = style.substr(is_dark ? style.find("dark") : 0);
    return color(
        between(part, "--" + property + ":", is_dark ? "}" : ";").value_or("").substr(0, 7));
}

} // namespace

TEST_GROUP(console_accent){};

TEST(console_accent, is_written_as_six_hexadecimal_digits) {
    for (const char* text :
         {"", "#", "blue", "#12345", "#1234567", "1234567", "#12345g", "#-12345"})
        CHECK_TEXT(!console::parse_color(text), text);
    STRCMP_EQUAL("#0a5c48", text_of(color("#0A5c48")).c_str());
}

TEST(console_accent, has_the_contrast_of_WCAG) {
    DOUBLES_EQUAL(21, console::contrast(color("#000000"), color("#ffffff")), 0.001);
    DOUBLES_EQUAL(1, console::contrast(color("#777777"), color("#777777")), 0.001);
    DOUBLES_EQUAL(4.478, console::contrast(color("#777777"), color("#ffffff")), 0.001);
}

TEST(console_accent, is_readable_in_each_shade) {
    for (int red = 0; red < 256; red += 51)
        for (int green = 0; green < 256; green += 51)
            for (int blue = 0; blue < 256; blue += 51) {
                const Color accent = console::readable({red, green, blue});
                const std::string style = console::accent_style(accent);
                for (const bool is_dark : {false, true}) {
                    const auto of = [&](const char* name) { return shade(style, name, is_dark); };
                    const std::string where = text_of(accent) + (is_dark ? " dark" : " light");
                    const auto is_readable = [&](const Color& text, const Color& background) {
                        CHECK_TEXT(console::contrast(text, background) >= 4.5, where.c_str());
                    };
                    // Background colors in style.css.
                    const std::array<const char*, 3> dark = {"#111418", "#191d23", "#1f242c"};
                    const std::array<const char*, 3> light = {"#f4f5f8", "#ffffff", "#f8f9fb"};
                    for (const char* background : is_dark ? dark : light)
                        is_readable(of("accent"), color(background));
                    is_readable(of("accent"), of("accent-soft"));
                    is_readable(of("accent-strong"), of("accent-soft"));
                    is_readable(of("on-accent"), of("accent"));
                }
            }
}

} // namespace useradmin::test
