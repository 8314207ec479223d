#include "json/writer.hpp"

#include "text/hex.hpp"
#include "text/unicode.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace useradmin::json {

namespace {

constexpr char unescaped = '\0';
constexpr char unicode_escape = 'u'; // \u00xx
constexpr char non_ascii = '\xff';   // unchanged if it is valid UTF-8

/// Maps each byte to one of the constants above, or to the character after the backslash in its
/// escape.
constexpr auto escapes = [] {
    std::array<char, 256> table{};
    for (std::size_t byte = 0; byte < 0x20; ++byte)
        table[byte] = unicode_escape;
    for (std::size_t byte = 0x80; byte < table.size(); ++byte)
        table[byte] = non_ascii;
    table['"'] = '"';
    table['\\'] = '\\';
    table['\b'] = 'b';
    table['\f'] = 'f';
    table['\n'] = 'n';
    table['\r'] = 'r';
    table['\t'] = 't';
    return table;
}();

/// Appends the escape of a byte, or U+FFFD for a byte of invalid UTF-8.
void append_replaced(std::string& out, unsigned char byte) {
    const char escape = escapes[byte];
    if (escape == non_ascii) {
        out += text::replacement_character;
        return;
    }
    out += '\\';
    out += escape;
    if (escape == unicode_escape) {
        out += "00";
        text::append_hex(out, byte);
    }
}

/// Returns the position of the first byte at or after `at` that may need replacing, or the size of
/// the text if there is none.
std::size_t end_of_unescaped(std::string_view text, std::size_t at) noexcept {
    while (at < text.size() && escapes[static_cast<unsigned char>(text[at])] == unescaped)
        ++at;
    return at;
}

/// Appends `before`, then the escaped text and a closing quote. `before` includes the opening
/// quote.
void append_quoted(std::string& out, std::string_view before, std::string_view text) {
    out += before;
    std::size_t start = 0; // of the run of bytes that need no replacing
    for (std::size_t at = end_of_unescaped(text, 0); at < text.size();
         at = end_of_unescaped(text, at)) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const std::size_t length =
            escapes[byte] == non_ascii ? text::sequence_length(text.substr(at)) : 0;
        if (length > 0) {
            at += length;
            continue;
        }
        out.append(text, start, at - start);
        append_replaced(out, byte);
        start = ++at;
    }
    out.append(text, start);
    out += '"';
}

constexpr std::string_view json_space = " \t\r\n";

/// Appends JSON without the white space that PostgreSQL inserts between tokens. Replaces invalid
/// UTF-8, because SQLite may leave it in strings.
void append_compact(std::string& out, std::string_view json) {
    bool is_in_string = false;
    for (std::size_t at = 0; at < json.size(); ++at) {
        if (const auto byte = static_cast<unsigned char>(json[at]); escapes[byte] == non_ascii) {
            const std::size_t length = text::sequence_length(json.substr(at));
            if (length == 0) {
                append_replaced(out, byte);
            } else {
                out += json.substr(at, length);
                at += length - 1;
            }
            continue;
        }
        if (json[at] == '"')
            is_in_string = !is_in_string;
        if (is_in_string || json_space.find(json[at]) == json_space.npos)
            out += json[at];
        if (is_in_string && json[at] == '\\' && at + 1 < json.size())
            out += json[++at];
    }
}

} // namespace

void Writer::separate() {
    if (needs_comma_)
        out_ += ',';
    needs_comma_ = true;
}

std::string_view Writer::string_prefix() const noexcept {
    return needs_comma_ ? ",\"" : "\"";
}

Writer& Writer::begin(char bracket) {
    separate();
    out_ += bracket;
    needs_comma_ = false;
    return *this;
}

Writer& Writer::end(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
    return *this;
}

Writer& Writer::key(std::string_view name) {
    append_quoted(out_, string_prefix(), name);
    out_ += ':';
    needs_comma_ = false;
    return *this;
}

Writer& Writer::string(std::string_view value) {
    append_quoted(out_, string_prefix(), value);
    needs_comma_ = true;
    return *this;
}

Writer& Writer::boolean(bool value) {
    separate();
    out_ += value ? std::string_view("true") : std::string_view("false");
    return *this;
}

Writer& Writer::integer(std::int64_t value) {
    separate();
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out_.append(digits, end);
    return *this;
}

Writer& Writer::null() {
    separate();
    out_ += "null";
    return *this;
}

Writer& Writer::string_or_null(const std::optional<std::string_view>& value) {
    return value ? string(*value) : null();
}

Writer& Writer::time_or_null(const std::optional<text::Timestamp>& value) {
    if (!value)
        return null();
    separate();
    out_ += '"';
    text::append_iso8601(out_, *value);
    out_ += '"';
    return *this;
}

Writer& Writer::json(std::string_view value) {
    separate();
    append_compact(out_, value);
    return *this;
}

} // namespace useradmin::json
