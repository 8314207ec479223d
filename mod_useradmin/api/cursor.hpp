// Cursors: positions in a list of users, as links contain them.
#pragma once

#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace useradmin::api {

/// A page of a list that begins after a user, or ends before one.
struct Cursor {
    /// The number of the page.
    std::int64_t page = 1;
    std::optional<std::string> key;
    std::string id;
    bool is_end = false;

    /// Returns the position, which is valid as long as the cursor.
    store::Position position() const { return {key, id, is_end}; }
};

/// Returns a text of lower-case letters and digits that only the same list accepts. list:
/// identifies the filter, the order and the limit. Returns nothing if it would be too long for a
/// link.
std::optional<std::string> encode_cursor(const Cursor& cursor, std::string_view list);

/// Returns the cursor, or nothing if the text is not one of the list. Clients can make up a cursor:
/// it is well-formed, and nothing else.
std::optional<Cursor> decode_cursor(std::string_view text, std::string_view list);

} // namespace useradmin::api
