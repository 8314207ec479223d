#include "admin/user_data.hpp"

#include "api/columns.hpp"

#include <algorithm>

namespace useradmin::admin {

bool has_any(const json::Object& data, std::initializer_list<std::string_view> members) noexcept {
    return std::ranges::any_of(
        members,
        [&](std::string_view member) { return data.kind(member) != json::Object::Kind::absent; });
}

bool has_ban(const json::Object& data) noexcept {
    return has_any(data, {"banned", "banReason", "banExpires"});
}

std::string_view expected_type(const json::Object& data, std::string_view name) {
    using Kind = json::Object::Kind;
    const Kind kind = data.kind(name);
    if (kind == Kind::null)
        return {};
    if (model::has_user_field<bool>(name) && kind != Kind::boolean)
        return "boolean";
    if (model::has_user_field<model::NullableTime>(name) && !text::parse_date(data.text(name)))
        return "date";
    return {};
}

UserData::UserData(const json::Object& data, std::initializer_list<std::string_view> omitted) {
    for (const std::string_view name : data.keys())
        if (std::ranges::find(omitted, name) == omitted.end() && !api::has_name_of_secret(name) &&
            !api::is_second_factor_flag(name))
            values_.push_back({name, value_of(data, name), store::Change::When::always, true});
}

model::Value UserData::value_of(const json::Object& data, std::string_view name) {
    using Kind = json::Object::Kind;
    // For a boolean field, null means false.
    if (model::has_user_field<bool>(name))
        return data.boolean(name);
    switch (data.kind(name)) {
    case Kind::absent:
    case Kind::null:
        return {};
    case Kind::boolean:
        // An extra column may be boolean, but these fields are not.
        if (model::find_user_field(name) != nullptr)
            return std::string_view(texts_.emplace_back(data.as_text(name)));
        return data.boolean(name);
    case Kind::string:
        if (model::has_user_field<model::NullableTime>(name))
            return *text::parse_date(data.text(name));
        return data.text(name);
    case Kind::number:
        return std::string_view(texts_.emplace_back(data.as_text(name)));
    case Kind::array:
    case Kind::object:
        break;
    }
    return std::string_view(texts_.emplace_back(data.as_json(name)));
}

} // namespace useradmin::admin
