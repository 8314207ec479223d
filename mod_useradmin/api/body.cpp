#include "api/body.hpp"

#include "text/unicode.hpp"

namespace useradmin::api {

bool names_role(const json::Object& body) {
    using Kind = json::Object::Kind;
    const Kind kind = body.kind("role");
    return kind != Kind::absent && kind != Kind::null &&
           !(kind == Kind::string && body.text("role").empty());
}

std::string stored_email(std::string_view email, const Settings& settings) {
    return settings.lowers_email ? text::lower(email) : std::string(email);
}

} // namespace useradmin::api
