#include "store/conditions.hpp"

#include "text/number.hpp"
#include "text/timestamp.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace useradmin::store {

namespace {

using Operator = Condition::Operator;

/// Returns whether the text is an integer that fits into the column.
bool is_number(std::string_view text, const Column& column) noexcept {
    return text::parse_integer(text, -column.max_value - 1, column.max_value).has_value();
}

/// Returns whether the column holds booleans. SQLite tables may declare them as integers.
bool holds_booleans(const Column& column) noexcept {
    return column.kind == Column::Kind::boolean || model::has_user_field<bool>(column.field);
}

/// Returns whether the column holds times. SQLite tables may declare them as text.
bool holds_times(const Column& column) noexcept {
    return column.is_declared_as_time() || model::has_user_field<model::NullableTime>(column.field);
}

/// Returns whether the column is an extra column of SQLite with times as text, in any format.
bool holds_text_times(const Column& column) noexcept {
    return column.kind == Column::Kind::other && column.is_declared_as_time() &&
           column.field.empty() && !column.has_unix_times();
}

/// Returns the argument for a comparison with the column, or std::nullopt if the column cannot hold
/// the value.
std::optional<Argument> argument_of(const Column& column, const std::string& value) {
    if (column.field == "id")
        return column.can_hold_id(value) ? std::optional(argument(value)) : std::nullopt;
    if (holds_booleans(column))
        return argument(column, value == "true");
    if (holds_times(column)) {
        if (const auto time = text::parse_date(value))
            return argument(column, *time);
        // SQLite can compare the column with any string.
        return column.operator_schema.empty() ? std::optional(argument(value)) : std::nullopt;
    }
    switch (column.kind) {
    case Column::Kind::text:
        return argument(value);
    case Column::Kind::integer:
        if (value == "true" || value == "false")
            return argument(value == "true" ? std::int64_t(1) : 0);
        return is_number(value, column) ? std::optional(argument(value)) : std::nullopt;
    case Column::Kind::uuid:
        return column.can_hold_id(value) ? std::optional(argument(value)) : std::nullopt;
    default:
        // SQLite converts numbers, and compares other types as text.
        return column.operator_schema.empty() && column.can_hold_text(value)
                   ? std::optional(argument(value))
                   : std::nullopt;
    }
}

/// Returns the SQL comparison operator, or nullptr if there is none.
const char* comparison_of(Operator name) noexcept {
    // In the order of Operator.
    constexpr const char* comparisons[] = {"=", "<>", "<", "<=", ">", ">=", "=", "<>"};
    const auto index = static_cast<std::size_t>(name);
    return index < std::size(comparisons) ? comparisons[index] : nullptr;
}

bool takes_list(Operator name) noexcept {
    return name == Operator::in || name == Operator::not_in;
}

} // namespace

std::string like_pattern(std::string_view text, Operator where) {
    std::string pattern(where == Operator::starts_with ? "" : "%");
    for (const char character : text) {
        if (character == '%' || character == '_' || character == '\\')
            pattern += '\\';
        pattern += character;
    }
    return pattern += where == Operator::ends_with ? "" : "%";
}

bool is_possible(const Condition& condition, const Table& user) {
    const Column* const column = user.find_column(condition.column);
    if (column == nullptr)
        return false;
    // In PostgreSQL, a column of Kind::other cannot be compared with an argument.
    if (column->kind == Column::Kind::other && !column->operator_schema.empty())
        return false;
    const std::size_t count = condition.values.size();
    if (count == 0 || (count > 1 && !takes_list(condition.comparison)))
        return false;
    // SQLite's LIKE converts any value to text.
    if (comparison_of(condition.comparison) == nullptr)
        return column->kind == Column::Kind::text || column->operator_schema.empty();
    return std::ranges::all_of(condition.values, [&](const std::string& value) {
        return argument_of(*column, value).has_value();
    });
}

void append_condition(Statement& statement, const Table& user, const Condition& condition) {
    if (!is_possible(condition, user)) {
        statement << "FALSE";
        return;
    }
    const Column& column = *user.find_column(condition.column);
    const char* const comparison = comparison_of(condition.comparison);
    if (comparison == nullptr) {
        const std::string& value = condition.values.front();
        const std::string_view text = !holds_booleans(column) ? std::string_view(value)
                                      : value == "true"       ? "1"
                                                              : "0";
        return column.dialect->append_like(statement, column,
                                           like_pattern(text, condition.comparison));
    }
    const char* const joint = condition.comparison == Operator::not_in ? " AND " : " OR ";
    const char* before = "(";
    // Compare times in the format of responses.
    const std::string sql = holds_text_times(column) ? column.iso_text() : column.sql();
    for (const std::string& value : condition.values)
        statement << std::exchange(before, joint) << sql << column.op(comparison)
                  << *argument_of(column, value);
    statement << ")";
}

void append_one_of(Statement& statement, const Table& table, const Column& column,
                   std::span<const std::string_view> strings, bool ignores_case) {
    // On PostgreSQL, IN would look up its operator in the search path.
    const bool is_typed = !column.sql_type.empty();
    const std::string lower = ignores_case ? table.function("lower") : "";
    const char* const end = ignores_case ? ")" : "";
    statement << lower << column << end;
    if (is_typed)
        statement << (ignores_case ? table.op("=") : column.op("="));
    const char* before = is_typed ? "ANY (ARRAY[" : " IN (";
    for (const std::string_view string : strings)
        statement << std::exchange(before, ", ") << lower << argument(string) << end;
    if (is_typed)
        statement << "]" << (ignores_case ? "" : "::" + column.sql_type + "[]");
    statement << ")";
}

} // namespace useradmin::store
