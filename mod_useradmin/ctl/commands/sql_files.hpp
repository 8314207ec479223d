// The SQL files that useradminctl carries.
#pragma once

#include "ctl/database.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// The SQL files of the database whose names begin so, in the order of their names.
std::vector<std::string_view> sql_files_with_prefix(const Database& database,
                                                    std::string_view beginning);

/// The statements of an SQL file, without its comments. A statement ends with a semicolon that ends
/// a line, outside the bodies between $body$ and $body$.
inline constexpr std::string_view body_quote = "$body$";
std::vector<std::string> statements_of(std::string_view file);

/// Puts a text in the place of another, wherever that stands.
void replace_all(std::string& text, std::string_view what, std::string_view with);

} // namespace useradmin::ctl
