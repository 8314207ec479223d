// Writes fields of records as JSON.
#pragma once

#include "model/records.hpp"
#include "json/writer.hpp"

#include <string_view>

namespace useradmin::json {

/// Writes a field as a member of the open object. If the field has no value, writes null_substitute
/// or, if that is empty, null.
template <class Record>
void write_field(Writer& writer, const Record& record, const model::Field<Record>& field,
                 std::string_view null_substitute = {}) {
    writer.key(field.name);
    const auto write = [&](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::string_view>)
            writer.string(value);
        else if constexpr (std::is_same_v<Value, bool>)
            writer.boolean(value);
        else if (!value && !null_substitute.empty())
            writer.string(null_substitute);
        else if constexpr (std::is_same_v<Value, model::NullableTime>)
            writer.time_or_null(value);
        else
            writer.string_or_null(value);
    };
    std::visit([&](auto member) { write(record.*member); }, field.member);
}

/// Writes all fields as members of the open object.
template <class Record>
void write_fields(Writer& writer, const Record& record) {
    for (const model::Field<Record>& field : model::fields<Record>())
        write_field(writer, record, field);
}

/// Writes the record as an object.
template <class Record>
void write_record(Writer& writer, const Record& record) {
    writer.begin_object();
    write_fields(writer, record);
    writer.end_object();
}

} // namespace useradmin::json
