#include "api/cursor.hpp"

#include "crypto/sha256.hpp"
#include "text/hex.hpp"
#include "text/unicode.hpp"

#include <charconv>

namespace useradmin::api {

namespace {

// A Link header may contain two cursors.
constexpr std::size_t max_cursor_length = 1000;
constexpr std::size_t checksum_length = 16;

/// Returns a checksum of the fields that is valid only for this list.
std::string checksum(std::string_view fields, std::string_view list) {
    return crypto::hex(crypto::digest({list, fields})).substr(0, checksum_length);
}

/// Returns whether the fields are UTF-8 without NUL.
bool is_clean(const Cursor& cursor) {
    return text::is_clean_utf8(cursor.id) && text::is_clean_utf8(cursor.key.value_or(""));
}

} // namespace

// Format: the checksum, followed by the direction, page, id and sort key in hexadecimal. U+0000
// separates the page, the id and the key. A NULL key is omitted.
std::optional<std::string> encode_cursor(const Cursor& cursor, std::string_view list) {
    std::string fields(1, cursor.is_end ? '<' : '>');
    fields.append(std::to_string(cursor.page)).append(1, '\0').append(cursor.id);
    if (cursor.key)
        fields.append(1, '\0').append(*cursor.key);
    std::string text = checksum(fields, list) + text::hex(fields);
    // SQLite does not validate UTF-8, but a cursor must contain valid UTF-8.
    if (text.size() > max_cursor_length || !is_clean(cursor))
        return std::nullopt;
    return text;
}

std::optional<Cursor> decode_cursor(std::string_view text, std::string_view list) {
    if (text.size() <= checksum_length || text.size() > max_cursor_length)
        return std::nullopt;
    const std::optional<std::string> fields = text::from_hex(text.substr(checksum_length));
    if (!fields || checksum(*fields, list) != text.substr(0, checksum_length))
        return std::nullopt;
    Cursor cursor;
    cursor.is_end = fields->starts_with('<');
    if (!cursor.is_end && !fields->starts_with('>'))
        return std::nullopt;
    std::int32_t page = 0;
    const char* const end = fields->data() + fields->size();
    const auto [stop, error] = std::from_chars(fields->data() + 1, end, page);
    if (error != std::errc() || page <= 0 || stop == end || *stop != '\0')
        return std::nullopt;
    cursor.page = page;
    cursor.id.assign(stop + 1, end);
    if (const std::size_t separator = cursor.id.find('\0'); separator != std::string::npos) {
        cursor.key = cursor.id.substr(separator + 1);
        cursor.id.resize(separator);
    }
    return is_clean(cursor) ? std::optional(cursor) : std::nullopt;
}

} // namespace useradmin::api
