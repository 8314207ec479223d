// Cursors for keyset pagination of the user list.
#pragma once

#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::api {

/// Identifies a page by the user before its start or after its end. See store::Position for key, id
/// and is_end.
struct Cursor {
    std::int64_t page = 1;
    std::optional<std::string> key;
    std::string id;
    bool is_end = false;

    /// Returns the position. It is valid for the lifetime of the cursor.
    store::Position position() const { return {key, id, is_end}; }
};

/// Encodes a cursor in lower-case letters and digits. list identifies the filter, order and page
/// size. The cursor is valid only for the same list. Returns std::nullopt if it is too long for a
/// link, or if a field is not UTF-8 or contains NUL.
std::optional<std::string> encode_cursor(const Cursor& cursor, std::string_view list);

/// Decodes a cursor. Returns std::nullopt if it is malformed or for another list. Clients can forge
/// cursors, so do not trust the fields.
std::optional<Cursor> decode_cursor(std::string_view text, std::string_view list);

} // namespace useradmin::api
