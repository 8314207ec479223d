#include "sign_in/parameters.hpp"

#include "sign_in/responses.hpp"
#include "text/split.hpp"
#include "text/unicode.hpp"
#include "text/url.hpp"

#include <algorithm>

namespace useradmin::sign_in {

namespace {

using Kind = Parameters::Kind;

constexpr std::string_view json_type = "application/json";
constexpr std::string_view form_type = "application/x-www-form-urlencoded";

std::string media_type_of(std::string_view content_type) {
    return text::lower(text::trim(text::take_until(content_type, ';')));
}

/// Returns the last value of a field, as better-auth does.
std::optional<std::string> field_of(std::string_view form, std::string_view name) {
    while (!form.empty()) {
        const std::size_t start = form.rfind('&') + 1; // 0 without a separator
        if (auto value = text::query_parameter(form.substr(start), name))
            return value;
        form = form.substr(0, std::max(start, std::size_t{1}) - 1);
    }
    return std::nullopt;
}

} // namespace

std::string_view name_of(Kind kind) noexcept {
    // In the order of Kind.
    constexpr std::string_view names[] = {"undefined", "null",  "boolean", "number",
                                          "string",    "array", "object"};
    return names[static_cast<std::size_t>(kind)];
}

std::variant<Parameters, Response> Parameters::read(const http::Request& request, Forms forms) {
    const http::Body body = request.body.read();
    if (body.error_status != 0)
        return status_error(body.error_status);
    Parameters parameters;
    if (body.text.empty())
        return parameters;
    const std::string_view content_type = request.headers.find("Content-Type");
    const std::string type = media_type_of(content_type);
    if (type == json_type) {
        const std::string_view text = text::without_byte_order_mark(body.text);
        parameters.object_ = json::Object::parse(text);
        parameters.kind_ = Kind::object;
        if (parameters.object_)
            return parameters;
        const auto value = json::Object::parse_value(text);
        if (!value)
            return error(400, "Invalid JSON in request body", "BAD_REQUEST");
        parameters.kind_ = value->kind("value");
        return parameters;
    }
    if (type == form_type && forms == Forms::allowed) {
        parameters.form_ = body.text;
        parameters.kind_ = Kind::object;
        return parameters;
    }
    std::string problem = type.empty() ? "Content-Type is required. Allowed types: "
                                       : "Content-Type \"" + std::string(content_type) +
                                             "\" is not allowed. Allowed types: ";
    if (forms == Forms::allowed)
        problem.append(form_type).append(", ");
    return error(415, problem += json_type, "UNSUPPORTED_MEDIA_TYPE");
}

Kind Parameters::kind(std::string_view name) const {
    if (object_)
        return object_->kind(name);
    auto value = field_of(form_, name);
    if (!value)
        return Kind::absent;
    crypto::wipe(*value);
    return Kind::string;
}

crypto::Secret Parameters::text(std::string_view name) const {
    if (object_)
        return crypto::Secret(std::string(object_->text(name)));
    auto value = field_of(form_, name);
    return value ? crypto::Secret(std::move(*value)) : crypto::Secret();
}

bool Parameters::boolean(std::string_view name, bool default_value) const {
    return kind(name) == Kind::boolean ? object_->boolean(name) : default_value;
}

void ErrorList::add(std::string_view name, std::string_view error) {
    errors_.append(errors_.empty() ? "[" : "; [").append(source_);
    errors_.append(name.empty() ? "" : ".").append(name).append("] ").append(error);
}

void ErrorList::add_type_error(std::string_view name, std::string_view expected, Kind actual) {
    std::string error = "Invalid input: expected ";
    add(name, error.append(expected).append(", received ").append(name_of(actual)));
}

std::optional<Response> ErrorList::response() const {
    return errors_.empty() ? std::nullopt : std::optional(error(400, errors_, "VALIDATION_ERROR"));
}

ValidationErrors::ValidationErrors(const Parameters& parameters)
    : ErrorList("body"), parameters_(parameters) {
    if (!has_members())
        add_type_error("", "object", parameters.kind());
}

void ValidationErrors::expect(std::string_view name, Kind expected) {
    if (has_members() && parameters_.kind(name) != expected)
        add_type_error(name, name_of(expected), parameters_.kind(name));
}

void ValidationErrors::expect_optional(std::string_view name, Kind expected) {
    if (parameters_.kind(name) != Kind::absent)
        expect(name, expected);
}

void ValidationErrors::expect_any(std::string_view name) {
    if (has_members() && parameters_.kind(name) == Kind::absent)
        add_type_error(name, "nonoptional", Kind::absent);
}

} // namespace useradmin::sign_in
