// Conditions on any column (better-auth's where).
#pragma once

#include "store/dialect.hpp"
#include "store/statement.hpp"

namespace useradmin::store {

/// Returns a LIKE pattern for strings that contain, start with or end with the text, depending on
/// `where`. Every character of the text is literal. The escape character is a backslash.
std::string like_pattern(std::string_view text,
                         Condition::Operator where = Condition::Operator::contains);

/// Returns whether the table has the column, the column can be compared with the values, and the
/// operator takes this number of values.
bool is_possible(const Condition& condition, const Table& user);

/// Appends the condition, or FALSE if it is not possible.
void append_condition(Statement& statement, const Table& user, const Condition& condition);

/// Appends a condition that the column equals one of the strings. If `ignores_case`, compares them
/// in lower case. `strings` must not be empty.
void append_one_of(Statement& statement, const Table& table, const Column& column,
                   std::span<const std::string_view> strings, bool ignores_case = false);

} // namespace useradmin::store
