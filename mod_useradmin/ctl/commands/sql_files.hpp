// The embedded SQL files.
#pragma once

#include "ctl/database.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace useradmin::ctl {

/// Returns the contents of the database's SQL files whose names have a prefix, sorted by name.
std::vector<std::string_view> sql_files_with_prefix(const Database& database,
                                                    std::string_view beginning);

/// The dollar quote around function bodies.
inline constexpr std::string_view body_quote = "$body$";
/// Returns the statements of an SQL file without comments. A statement ends with a semicolon at the
/// end of a line, outside of $body$ … $body$.
std::vector<std::string> statements_of(std::string_view file);

/// Replaces all occurrences of a string.
void replace_all(std::string& text, std::string_view what, std::string_view with);

} // namespace useradmin::ctl
