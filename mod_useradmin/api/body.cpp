#include "api/body.hpp"

#include "text/unicode.hpp"

namespace useradmin::api {

bool sends_role(const json::Object& body) {
    using Kind = json::Object::Kind;
    const Kind kind = body.kind("role");
    return kind != Kind::absent && kind != Kind::null &&
           !(kind == Kind::string && body.text("role").empty());
}

bool is_string_or_null(const json::Object& body, std::string_view name) {
    using Kind = json::Object::Kind;
    const Kind kind = body.kind(name);
    return kind == Kind::absent || kind == Kind::null || kind == Kind::string;
}

std::string normalize_email(std::string_view email, const OperationSettings& settings) {
    return settings.lowers_email ? text::lower(email) : std::string(email);
}

} // namespace useradmin::api
