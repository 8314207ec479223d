// The embedded SQL files.
#pragma once

#include "ctl/database.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace useradmin::ctl {

/// Returns the contents of the database product's SQL files whose names start with prefix,
/// sorted by name.
std::vector<std::string_view> sql_files_with_prefix(const Database& database,
                                                    std::string_view prefix);

/// The placeholders in SQL files and their values.
using Replacements = std::vector<std::pair<std::string, std::string>>;
/// Replaces the placeholders in the text. Placeholders within the inserted values are kept.
std::string replace_placeholders(std::string_view text, const Replacements& replacements);

/// The dollar quote around function bodies.
inline constexpr std::string_view body_quote = "$body$";
/// Splits an SQL file into statements and drops comments. A statement ends with a semicolon at the
/// end of a line, outside of $body$ … $body$.
std::vector<std::string> statements_of(std::string_view file);

} // namespace useradmin::ctl
