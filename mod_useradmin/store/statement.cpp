#include "store/statement.hpp"

#include "apr/pool.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace useradmin::store {

namespace {

std::string text_of(const Column& column, text::Timestamp time) {
    const auto since = time.time_since_epoch();
    switch (column.time_format) {
    case Column::TimeFormat::seconds:
        return std::to_string(std::chrono::floor<std::chrono::seconds>(since).count());
    case Column::TimeFormat::milliseconds:
        return std::to_string(since.count());
    case Column::TimeFormat::text:
        break;
    }
    std::string text;
    text::append_iso8601(text, time);
    return text;
}

/// Returns the bytes of an argument, or an empty string for NULL.
std::string_view view_of(const Argument& argument) {
    if (const auto* owned = std::get_if<std::string>(&argument.text))
        return *owned;
    const auto* view = std::get_if<std::string_view>(&argument.text);
    return view != nullptr ? *view : std::string_view();
}

} // namespace

Argument argument(const Column& column, const model::Value& value) {
    if (const auto* string = std::get_if<std::string_view>(&value)) {
        // SQLite would store the string as it is.
        if (column.is_declared_as_time() && column.has_unix_times())
            if (const auto time = text::parse_date(*string))
                return {text_of(column, *time)};
        return argument(*string);
    }
    if (const auto* boolean = std::get_if<bool>(&value))
        return argument(*boolean ? "1" : "0");
    if (const auto* time = std::get_if<text::Timestamp>(&value))
        return {text_of(column, *time)};
    return {};
}

Assignments assignments_of(const Table& table, const NewUser& user) {
    Assignments all = assignments_of(table, user_row(user));
    for (const Change& change : user.data)
        if (const Column* const column = column_of(table, user.data, change);
            column != nullptr && column->field.empty())
            all.push_back({column, argument(*column, change.value)});
    return all;
}

const Column* column_of(const Table& table, const Changes& changes, const Change& change) {
    const auto find = [&](const Change& each) {
        return each.names_column ? table.find_column(each.field) : table.find(each.field);
    };
    const Column* const column = find(change);
    const bool is_set = std::any_of(changes.data(), &change,
                                    [&](const Change& each) { return find(each) == column; });
    return is_set ? nullptr : column;
}

Statement::~Statement() {
    for (char* const argument : arguments_)
        if (argument != nullptr)
            explicit_bzero(argument, std::strlen(argument));
}

Statement& Statement::columns(const Assignments& row) {
    const char* before = "";
    for (const Assignment& each : row)
        *this << std::exchange(before, ", ") << *each.column;
    return *this;
}

Statement& Statement::values(const Assignments& row) {
    const char* before = "";
    for (const Assignment& each : row) {
        *this << std::exchange(before, ", ");
        if (each.expression.empty())
            *this << each.argument;
        else
            *this << each.expression;
    }
    return *this;
}

Statement& Statement::insertion(const Table& table, const Assignments& row) {
    (*this << "INSERT INTO " << table << " (").columns(row) << ") VALUES (";
    return values(row) << ")";
}

Statement& Statement::operator<<(const Argument& argument) {
    const bool is_null = std::holds_alternative<std::monostate>(argument.text);
    arguments_.push_back(is_null ? nullptr : apr::copy_c_string(pool_, view_of(argument)));
    sql_ += '$';
    sql_ += std::to_string(arguments_.size());
    return *this;
}

} // namespace useradmin::store
