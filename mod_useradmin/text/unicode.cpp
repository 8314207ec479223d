#include "text/unicode.hpp"

#include <strings.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace useradmin::text {

namespace {

const utf8proc_uint8_t* bytes_of(std::string_view text) noexcept {
    return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

bool is_ascii(char byte) noexcept {
    return static_cast<unsigned char>(byte) < 0x80;
}

bool all_ascii(std::string_view text) noexcept {
    return std::ranges::all_of(text, is_ascii);
}

/// Returns whether all eight bytes are from 0x01 to 0x7f.
bool eight_clean_ascii(const char* bytes) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return (((word - ones) | word) & high_bits) == 0;
}

/// Decodes the first code point. Returns the length of its UTF-8 sequence, or 0 if it is invalid.
std::size_t take_point(std::string_view bytes, utf8proc_int32_t& point) noexcept {
    if (bytes.empty())
        return 0;
    const auto length =
        utf8proc_iterate(bytes_of(bytes), static_cast<utf8proc_ssize_t>(bytes.size()), &point);
    return length > 0 ? static_cast<std::size_t>(length) : 0;
}

bool is_combining_mark(utf8proc_int32_t point) noexcept {
    const utf8proc_category_t category = utf8proc_category(point);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
           category == UTF8PROC_CATEGORY_ME;
}

std::string encoded(utf8proc_int32_t point) {
    utf8proc_uint8_t bytes[4];
    const auto length = static_cast<std::size_t>(utf8proc_encode_char(point, bytes));
    return {reinterpret_cast<const char*>(bytes), length};
}

/// Works like utf8proc_map, but leaves no code points in freed memory.
std::string mapped(std::string_view text, int flags) {
    const auto options = static_cast<utf8proc_option_t>(flags);
    const auto size = static_cast<utf8proc_ssize_t>(text.size());
    const auto count = utf8proc_decompose(bytes_of(text), size, nullptr, 0, options);
    if (count < 0)
        return std::string(text);
    // utf8proc_reencode overwrites the code points with the bytes of the result and a terminator.
    std::vector<utf8proc_int32_t> points(static_cast<std::size_t>(count) + 1);
    utf8proc_decompose(bytes_of(text), size, points.data(), count, options);
    const auto mapped_size = utf8proc_reencode(points.data(), count, options);
    std::string mapped(reinterpret_cast<const char*>(points.data()),
                       static_cast<std::size_t>(mapped_size));
    explicit_bzero(points.data(), points.size() * sizeof(utf8proc_int32_t));
    return mapped;
}

/// Returns the length of the white space character at the start of the text, or 0 if there is none.
std::size_t space_length(std::string_view text) noexcept {
    utf8proc_int32_t point = 0;
    const std::size_t length = take_point(text, point);
    const bool is_space =
        (point >= '\t' && point <= '\r') || utf8proc_category(point) == UTF8PROC_CATEGORY_ZS;
    return is_space ? length : 0;
}

} // namespace

std::string lower_ascii(std::string text) {
    for (char& byte : text)
        if (byte >= 'A' && byte <= 'Z')
            byte = static_cast<char>(byte - 'A' + 'a');
    return text;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) noexcept {
    return text.size() >= prefix.size() &&
           strncasecmp(text.data(), prefix.data(), prefix.size()) == 0;
}

bool equals_ignoring_case(std::string_view left, std::string_view right) noexcept {
    return left.size() == right.size() && starts_with_ignoring_case(left, right);
}

std::string snake_case(std::string_view camel_case) {
    std::string snake;
    for (const char letter : camel_case) {
        if (letter >= 'A' && letter <= 'Z') {
            snake += '_';
            snake += static_cast<char>(letter - 'A' + 'a');
        } else {
            snake += letter;
        }
    }
    return snake;
}

std::size_t sequence_length(std::string_view bytes) noexcept {
    utf8proc_int32_t point = 0;
    return take_point(bytes, point);
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_size) noexcept {
    std::size_t end = 0;
    while (end < text.size()) {
        const std::size_t length =
            std::max<std::size_t>(sequence_length(text.substr(end)), 1); // 0 means invalid UTF-8
        if (end + length > max_size)
            break;
        end += length;
    }
    return text.substr(0, end);
}

bool is_clean_utf8(std::string_view bytes) noexcept {
    std::size_t at = 0;
    while (at < bytes.size()) {
        if (bytes.size() - at >= 8 && eight_clean_ascii(bytes.data() + at)) {
            at += 8;
            continue;
        }
        const auto length = is_ascii(bytes[at]) ? 1 : sequence_length(bytes.substr(at));
        if (length == 0 || bytes[at] == '\0')
            return false;
        at += length;
    }
    return true;
}

std::size_t utf16_length(std::string_view text) noexcept {
    std::size_t units = 0;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        const bool continues = (byte & 0xc0) == 0x80;
        const bool is_first_of_four = byte >= 0xf0; // a surrogate pair
        units += continues ? 0 : is_first_of_four ? 2 : 1;
    }
    return units;
}

std::string lower(std::string_view text) {
    std::string lowered;
    lowered.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        utf8proc_int32_t point = 0;
        const std::size_t length = take_point(text.substr(at), point);
        if (length == 0)
            return std::string(text);
        at += length;
        if (point == 0x130) { // utf8proc would drop the dot
            lowered += "i\xcc\x87";
            continue;
        }
        lowered += encoded(utf8proc_tolower(point));
    }
    return lowered;
}

std::string fold(std::string_view text) {
    if (all_ascii(text))
        return lower_ascii(std::string(text));
    // Compose the text, so a Hangul syllable matches only as a whole and not by its first letters.
    std::string folded =
        mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK);
    for (const PlainLetter& letter : plain_letters)
        for (std::size_t at = 0; (at = folded.find(letter.small, at)) != folded.npos;)
            folded.replace(at, letter.small.size(), letter.plain);
    return folded;
}

std::vector<std::string_view> search_words(std::string_view search) {
    constexpr std::size_t max_words = 8;
    std::vector<std::string_view> words;
    std::size_t start = 0;
    for (std::size_t at = 0; at <= search.size();) {
        const std::size_t space = space_length(search.substr(at));
        const bool is_end = space > 0 || at == search.size();
        if (is_end && at > start)
            words.push_back(search.substr(start, at - start));
        at += std::max<std::size_t>(space, 1);
        if (is_end)
            start = at;
    }
    if (words.empty())
        return {search};
    if (words.size() > max_words) {
        const char* const begin = words[max_words - 1].data();
        const char* const end = words.back().data() + words.back().size();
        words.resize(max_words);
        words.back() = {begin, static_cast<std::size_t>(end - begin)};
    }
    return words;
}

bool has_only_combining_marks(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        utf8proc_int32_t point = 0;
        const std::size_t length = take_point(text.substr(at), point);
        if (length == 0 || !is_combining_mark(point))
            return false;
        at += length;
    }
    return true;
}

std::string combining_marks() {
    constexpr utf8proc_int32_t end = 0x110000;
    std::string ranges;
    for (utf8proc_int32_t point = 0x80; point < end; ++point) {
        if (!is_combining_mark(point))
            continue;
        const utf8proc_int32_t first = point;
        while (point + 1 < end && is_combining_mark(point + 1))
            ++point;
        ranges += encoded(first) + '-' + encoded(point);
    }
    return ranges;
}

std::string sort_key(std::string_view text) {
    std::string key = lower_ascii(
        all_ascii(text) ? std::string(text)
                        : mapped(text, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT));
    std::size_t end = 0;
    for (std::size_t at = 0; at < key.size();) {
        utf8proc_int32_t point = 0;
        const std::size_t length =
            std::max<std::size_t>(take_point(std::string_view(key).substr(at), point), 1);
        if (point < 0x300 || point > 0x36f)
            for (std::size_t byte = 0; byte < length; ++byte)
                key[end++] = key[at + byte];
        at += length;
    }
    key.resize(end);
    return key;
}

void for_each_fold(const std::function<void(std::string_view, std::string_view)>& visit) {
    for (utf8proc_int32_t point = 1; point <= 0x10ffff; ++point) {
        if (!utf8proc_codepoint_valid(point))
            continue;
        const std::string text = encoded(point);
        const std::string folded = fold(text);
        if (folded != text)
            visit(text, folded);
    }
}

std::string nfkc(std::string_view text) {
    if (all_ascii(text))
        return std::string(text);
    return mapped(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
}

} // namespace useradmin::text
