// Reads the members of a request body: a JSON object or, if allowed, a form.
#pragma once

#include "crypto/secret.hpp"
#include "http/message.hpp"
#include "json/reader.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::sign_in {

class Parameters {
  public:
    using Kind = json::Object::Kind;

    /// Whether the body may be a form.
    enum class Forms { allowed, rejected };

    /// Reads the body. Returns the error response if it cannot be read or is neither JSON nor an
    /// allowed form. Use ValidationErrors to check that it is an object.
    static std::variant<Parameters, http::Response> read(const http::Request& request,
                                                         Forms forms = Forms::allowed);

    /// Returns the type of the body: `absent` if it is empty, `object` if it is a form.
    Kind kind() const noexcept { return kind_; }

    /// Returns the type of a member. In a form, all members are strings or absent.
    Kind kind(std::string_view name) const;
    /// Returns the value of a string member, or an empty string for any other type.
    crypto::Secret text(std::string_view name) const;
    /// Returns the value of a boolean member, or default_value if the member is absent or has
    /// another type.
    bool boolean(std::string_view name, bool default_value) const;
    /// Returns the JSON object, or std::nullopt if the body is a form or not an object.
    std::optional<json::Object>& object() noexcept { return object_; }
    const std::optional<json::Object>& object() const noexcept { return object_; }

  private:
    Kind kind_ = Kind::absent;
    std::optional<json::Object> object_;
    /// The form, if there is no JSON object. Valid for the lifetime of the request's body.
    std::string_view form_;
};

/// Returns the type's name in JavaScript.
std::string_view name_of(Parameters::Kind kind) noexcept;

/// Collects validation errors in better-auth's wording.
class ErrorList {
  public:
    /// source is "body" or "query".
    explicit ErrorList(std::string_view source) noexcept : source_(source) {}

    /// Adds an error about a member. If the name is empty, the error is about the whole source.
    void add(std::string_view name, std::string_view error);
    /// Adds an error about a member that has the wrong type.
    void add_type_error(std::string_view name, std::string_view expected, Parameters::Kind actual);

    /// Returns the error response, or std::nullopt if there are no errors.
    std::optional<http::Response> response() const;

  private:
    std::string_view source_;
    std::string errors_;
};

/// Validates the members of a body.
class ValidationErrors : public ErrorList {
  public:
    /// Adds an error unless the body is an object or a form. The parameters must outlive this
    /// object.
    explicit ValidationErrors(const Parameters& parameters);

    /// Adds an error unless the member has the type.
    void expect(std::string_view name, Parameters::Kind expected);
    /// Adds an error unless the member has the type or is absent.
    void expect_optional(std::string_view name, Parameters::Kind expected);
    /// Adds an error if the member is absent. better-auth converts a value of any type to a string.
    void expect_any(std::string_view name);

  private:
    /// Returns whether the body has members to check.
    bool has_members() const noexcept { return parameters_.kind() == Parameters::Kind::object; }

    const Parameters& parameters_;
};

} // namespace useradmin::sign_in
