// The cursors of paging links: positions in a list of users.
#pragma once

#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::api {

/// A page that starts after a given user, or ends before one.
struct Cursor {
    /// The page number.
    std::int64_t page = 1;
    std::optional<std::string> key;
    std::string id;
    bool is_end = false;

    /// Returns the position, valid for the lifetime of the cursor.
    store::Position position() const { return {key, id, is_end}; }
};

/// Encodes a cursor in lower-case letters and digits. Only the same list accepts it. list:
/// identifies the filter, the order and the limit. Returns nothing if the result is too long for a
/// link.
std::optional<std::string> encode_cursor(const Cursor& cursor, std::string_view list);

/// Decodes a cursor. Returns nothing if the text is not a cursor of the list. Clients can forge
/// cursors, so only the format is guaranteed.
std::optional<Cursor> decode_cursor(std::string_view text, std::string_view list);

} // namespace useradmin::api
