#include "api/body.hpp"

#include "text/unicode.hpp"

namespace useradmin::api {

namespace {

bool is_of_kind_or_null(const json::Object& body, std::string_view name, json::Object::Kind kind) {
    using Kind = json::Object::Kind;
    const Kind actual = body.kind(name);
    return actual == Kind::absent || actual == Kind::null || actual == kind;
}

} // namespace

bool has_role(const json::Object& body) {
    using Kind = json::Object::Kind;
    const Kind kind = body.kind("role");
    return kind != Kind::absent && kind != Kind::null &&
           !(kind == Kind::string && body.text("role").empty());
}

bool is_string_or_null(const json::Object& body, std::string_view name) {
    return is_of_kind_or_null(body, name, json::Object::Kind::string);
}

bool is_object_or_null(const json::Object& body, std::string_view name) {
    return is_of_kind_or_null(body, name, json::Object::Kind::object);
}

std::string normalize_email(std::string_view email, const OperationSettings& settings) {
    return settings.lowers_email ? text::lower(email) : std::string(email);
}

} // namespace useradmin::api
