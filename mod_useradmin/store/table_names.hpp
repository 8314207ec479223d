#pragma once

#include "store/schema.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::store {

/// Returns whether the string can be the name of a table, schema or column.
bool is_identifier(std::string_view name);
/// Parses the names of the user, session and account tables, as in UserAdminTables and
/// `useradminctl --tables`: each a table, or a schema and a table separated by a dot. The names are
/// views of the words. On error, returns the end of a message that starts with "must be ".
std::variant<TableNames, std::string> parse_table_names(std::span<const std::string_view> words);

} // namespace useradmin::store
