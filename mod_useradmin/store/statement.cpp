#include "store/statement.hpp"

namespace useradmin::store {

namespace {

/// A time as the column holds it: milliseconds in a column of numbers, else ISO 8601.
std::string text_of(const Column& column, Timestamp time) {
    if (column.kind == Column::Kind::integer)
        return std::to_string(time.time_since_epoch().count());
    std::string text;
    text::append_iso8601(text, time);
    return text;
}

} // namespace

void Statement::argument(const char* value) {
    arguments_.push_back(value);
    sql_ += '$';
    sql_ += std::to_string(arguments_.size());
}

Statement& Statement::text(std::string_view value) {
    argument(apr::terminated(pool_, value));
    return *this;
}

Statement& Statement::value(const Column& column, const Value& value) {
    if (const auto* words = std::get_if<std::string_view>(&value))
        return text(*words);
    if (const auto* truth = std::get_if<bool>(&value))
        return text(*truth ? "1" : "0");
    if (const auto* time = std::get_if<Timestamp>(&value))
        return text(text_of(column, *time));
    argument(nullptr);
    return *this;
}

} // namespace useradmin::store
