// Strings from clients: UTF-8 validation, normalization and escaping.
#include "targets.hpp"

#include "store/conditions.hpp"
#include "text/unicode.hpp"
#include "json/reader.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

namespace useradmin::fuzz {

namespace {

struct Counts {
    std::size_t characters = 0;
    std::size_t utf16_units = 0;
};

/// Counts the characters of well-formed UTF-8 without U+0000 (table in RFC 3629). Returns
/// std::nullopt for other bytes.
std::optional<Counts> counts_of(std::string_view text) {
    struct Form {
        unsigned char first, last;            // of the first byte
        unsigned char min_second, max_second; // of the second byte
        std::size_t length;
    };
    constexpr Form forms[] = {
        {0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    Counts counts;
    while (!text.empty()) {
        const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
        const auto* const form =
            std::find_if(std::begin(forms), std::end(forms), [&](const Form& candidate) {
                return byte(0) >= candidate.first && byte(0) <= candidate.last;
            });
        if (form == std::end(forms) || text.size() < form->length)
            return std::nullopt;
        for (std::size_t at = 1; at < form->length; ++at)
            if (byte(at) < (at == 1 ? form->min_second : 0x80) ||
                byte(at) > (at == 1 ? form->max_second : 0xbf))
                return std::nullopt;
        ++counts.characters;
        counts.utf16_units += form->length == 4 ? 2 : 1;
        text.remove_prefix(form->length);
    }
    return counts;
}

/// Returns the text that a LIKE pattern searches for. Requires that the only wildcards are a % at
/// the start and at the end.
std::string literal_of(std::string_view pattern) {
    require(pattern.size() >= 2 && pattern.front() == '%' && pattern.back() == '%',
            "a pattern matches the text anywhere");
    std::string meant;
    for (std::size_t at = 1; at + 1 < pattern.size(); ++at) {
        require(pattern[at] != '%' && pattern[at] != '_', "a wildcard is escaped");
        if (pattern[at] == '\\')
            require(++at + 1 < pattern.size(), "an escape precedes a character of the text");
        meant += pattern[at];
    }
    return meant;
}

} // namespace

void fuzz_text(std::string_view text) {
    const auto counts = counts_of(text);
    const bool is_clean = text::is_clean_utf8(text);
    require(is_clean == counts.has_value(),
            "text is clean if and only if it is UTF-8 without U+0000");
    require(literal_of(store::like_pattern(text)) == text,
            "a pattern matches each character literally");

    std::string written;
    json::Writer writer(written);
    writer.begin_object().key("a").string(text).end_object();
    require(text::is_clean_utf8(written), "the JSON output is valid UTF-8");
    if (text.find('\0') == text.npos) {
        const auto object = json::Object::parse(written);
        require(object.has_value(), "the JSON output can be parsed");
        require(text::is_clean_utf8(object->text("a")), "a value read from JSON is valid UTF-8");
        require(!is_clean || object->text("a") == text,
                "a text that is formatted and parsed is the same");
    }

    const std::string lower = text::lower(text);
    const std::string folded = text::fold(text);
    const std::string normal = text::nfkc(text);
    if (!is_clean)
        return;
    require(text::utf16_length(text) == counts->utf16_units,
            "the length is counted in UTF-16 units");
    for (const std::string& form : {lower, folded, normal})
        require(text::is_clean_utf8(form), "every form of valid UTF-8 is valid UTF-8");
    require(text::lower(lower) == lower, "lower() is idempotent");
    require(text::nfkc(normal) == normal, "nfkc() is idempotent");
    std::size_t dotted_capitals = 0;
    for (std::size_t at = 0; (at = text.find("\xc4\xb0", at)) != text.npos; ++at)
        ++dotted_capitals;
    require(counts_of(lower)->characters == counts->characters + dotted_capitals,
            "lower() keeps the number of characters, except for the dot of U+0130");
}

} // namespace useradmin::fuzz
