// What the application's tables may be called.
#pragma once

#include "store/schema.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::store {

/// Reads the names of the user, session and account tables, as UserAdminTables and
/// `useradminctl --tables` have them: each a table, or a schema and a table with a dot between
/// them. The names are views of the words. Where the words are not that, says what would be right,
/// to be put behind "must be ".
std::variant<TableNames, std::string> parse_table_names(std::span<const std::string_view> words);

} // namespace useradmin::store
