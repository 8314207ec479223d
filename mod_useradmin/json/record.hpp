// Records as JSON, by their tables of fields.
#pragma once

#include "store/records.hpp"
#include "json/writer.hpp"

#include <string_view>

namespace useradmin::json {

/// Writes a field of a record as a member of the open object. Where it has no value, the text is
/// written instead, or null where that is empty.
template <class Record>
void write_field(Writer& writer, const Record& record, const store::Field<Record>& field,
                 std::string_view instead_of_null = {}) {
    writer.key(field.name);
    const store::Value value = store::value_of(record, field);
    if (const auto* text = std::get_if<std::string_view>(&value))
        writer.string(*text);
    else if (const auto* truth = std::get_if<bool>(&value))
        writer.boolean(*truth);
    else if (const auto* time = std::get_if<store::Timestamp>(&value))
        writer.time_or_null(*time);
    else if (!instead_of_null.empty())
        writer.string(instead_of_null);
    else
        writer.null();
}

} // namespace useradmin::json
