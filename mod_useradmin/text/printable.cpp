#include "text/printable.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace useradmin::text {

namespace {

/// The code point at the start of a string and its bytes, or one byte of invalid UTF-8.
struct Character {
    utf8proc_int32_t point = 0;
    std::string_view bytes;
    bool is_utf8 = false;
};

Character first_of(std::string_view text) {
    Character character;
    const auto size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), &character.point);
    character.is_utf8 = size > 0;
    character.bytes = text.substr(0, character.is_utf8 ? static_cast<std::size_t>(size) : 1);
    return character;
}

bool is_printable(const Character& character) {
    constexpr utf8proc_category_t hidden[] = {UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CN,
                                              UTF8PROC_CATEGORY_CO, UTF8PROC_CATEGORY_CS,
                                              UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP};
    constexpr utf8proc_int32_t joiners[] = {0x200c, 0x200d}; // emoji, Persian, Indic scripts
    const auto category = utf8proc_category(character.point);
    if (category == UTF8PROC_CATEGORY_CF)
        return std::ranges::find(joiners, character.point) != std::end(joiners);
    return character.is_utf8 && std::ranges::find(hidden, category) == std::end(hidden);
}

template <class... Numbers>
void append_formatted(std::string& out, const char* format, Numbers... numbers) {
    char code[16];
    std::snprintf(code, sizeof code, format, numbers...);
    out += code;
}

void append_escape(std::string& out, const Character& character) {
    const auto point = static_cast<unsigned>(character.point);
    if (character.bytes.size() == 1)
        append_formatted(out, "\\x%02x", static_cast<unsigned char>(character.bytes[0]));
    else
        append_formatted(out, point < 0x10000 ? "\\u%04x" : "\\U%08x", point);
}

/// Appends a character as a JSON escape, in UTF-16 code units.
void append_json_escape(std::string& out, const Character& character) {
    const auto point =
        character.is_utf8 ? static_cast<unsigned>(character.point) : 0xfffdU; // replacement
    if (point < 0x10000)
        append_formatted(out, "\\u%04x", point);
    else
        append_formatted(out, "\\u%04x\\u%04x", 0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff));
}

template <class AppendEscape>
std::string escaped(std::string_view text, AppendEscape append) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto* const end = std::ranges::find_if(
            text, [](char character) { return character < ' ' || character > '~'; });
        const auto plain = static_cast<std::size_t>(end - text.begin());
        out.append(text, 0, plain);
        text.remove_prefix(plain);
        if (text.empty())
            break;
        const Character character = first_of(text);
        if (is_printable(character))
            out += character.bytes;
        else
            append(out, character);
        text.remove_prefix(character.bytes.size());
    }
    return out;
}

} // namespace

std::string printable(std::string_view text) {
    return escaped(text, append_escape);
}

std::string printable_json(std::string_view document) {
    return escaped(document, append_json_escape);
}

} // namespace useradmin::text
