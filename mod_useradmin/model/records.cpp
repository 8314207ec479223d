#include "model/records.hpp"

#include <algorithm>
#include <iterator>

namespace useradmin::model {

const Field<User>* find_user_field(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(user_fields, name, &Field<User>::name);
    return found != std::end(user_fields) ? found : nullptr;
}

std::optional<std::string> text_of(const Value& value) {
    if (const auto* text = std::get_if<std::string_view>(&value))
        return std::string(*text);
    if (const auto* boolean = std::get_if<bool>(&value))
        return *boolean ? "true" : "false";
    if (const auto* time = std::get_if<Timestamp>(&value)) {
        std::string text;
        text::append_iso8601(text, *time);
        return text;
    }
    return std::nullopt;
}

} // namespace useradmin::model
