#include "sign_in/parameters.hpp"

#include "sign_in/replies.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

namespace useradmin::sign_in {

namespace {

using Kind = Parameters::Kind;

constexpr std::string_view allowed_types =
    "Allowed types: application/x-www-form-urlencoded, application/json";

std::string media_type_of(std::string_view content_type) {
    std::string_view type = content_type.substr(0, content_type.find(';'));
    while (type.ends_with(' ') || type.ends_with('\t'))
        type.remove_suffix(1);
    return text::lower(type);
}

std::string_view name_of(Kind kind) {
    switch (kind) {
    case Kind::absent:
        return "undefined";
    case Kind::null:
        return "null";
    case Kind::boolean:
        return "boolean";
    case Kind::number:
        return "number";
    case Kind::string:
        return "string";
    case Kind::other:
        break;
    }
    return "object";
}

Reply invalid(std::string_view errors) {
    return error(400, errors, "VALIDATION_ERROR");
}

/// Returns the error for a text that is not a JSON object.
Reply invalid_body(std::string_view text) {
    const std::optional<json::Object> object = json::Object::parse_value(text);
    if (!object)
        return error(400, "Invalid JSON in request body", "BAD_REQUEST");
    const Kind kind = object->kind("value");
    return invalid("[body] Invalid input: expected object, received " +
                   std::string(kind == Kind::other ? "array" : name_of(kind)));
}

} // namespace

std::variant<Parameters, Reply> Parameters::read(const http::Request& request) {
    const http::Body body = request.body.read();
    if (body.state != http::Body::State::read)
        return body_error(body);
    if (body.text.empty())
        return invalid("[body] Invalid input: expected object, received undefined");
    const std::string_view content_type = request.headers.find("Content-Type");
    const std::string type = media_type_of(content_type);
    Parameters parameters;
    if (type == "application/json") {
        parameters.object_ = json::Object::parse(body.text);
        if (!parameters.object_)
            return invalid_body(body.text);
        return parameters;
    }
    if (type == "application/x-www-form-urlencoded") {
        parameters.form_ = body.text;
        return parameters;
    }
    const std::string problem =
        type.empty() ? "Content-Type is required. "
                     : "Content-Type \"" + std::string(content_type) + "\" is not allowed. ";
    return error(415, problem + std::string(allowed_types), "UNSUPPORTED_MEDIA_TYPE");
}

Kind Parameters::kind(std::string_view name) const {
    if (object_)
        return object_->kind(name);
    auto value = text::query_parameter(form_, name);
    if (!value)
        return Kind::absent;
    crypto::wipe(*value);
    return Kind::string;
}

crypto::Secret Parameters::text(std::string_view name) const {
    if (object_)
        return crypto::Secret(std::string(object_->text(name)));
    auto value = text::query_parameter(form_, name);
    return value ? crypto::Secret(std::move(*value)) : crypto::Secret();
}

bool Parameters::boolean(std::string_view name, bool absent) const {
    return kind(name) == Kind::boolean ? object_->boolean(name) : absent;
}

void ValidationErrors::expect(std::string_view name, Kind wanted) {
    const Kind is = parameters_.kind(name);
    if (is == wanted)
        return;
    errors_ += errors_.empty() ? "[body." : "; [body.";
    errors_ += name;
    errors_ += "] Invalid input: expected ";
    errors_ += name_of(wanted);
    errors_ += ", received ";
    errors_ += name_of(is);
}

void ValidationErrors::expect_optional(std::string_view name, Kind wanted) {
    if (parameters_.kind(name) != Kind::absent)
        expect(name, wanted);
}

std::optional<Reply> ValidationErrors::reply() const {
    return errors_.empty() ? std::nullopt : std::optional(invalid(errors_));
}

} // namespace useradmin::sign_in
