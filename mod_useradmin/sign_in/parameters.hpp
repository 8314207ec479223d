// The members of a request's body: a JSON object, or a form where that is allowed.
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

    /// Whether a body may be a form.
    enum class Forms { allowed, refused };

    /// Reads the body. Returns the error reply if it is neither JSON nor an allowed form.
    /// ValidationErrors checks whether it is an object.
    static std::variant<Parameters, http::Reply> read(const http::Request& request,
                                                      Forms forms = Forms::allowed);

    /// Returns the type of the body; absent if it is empty.
    Kind kind() const noexcept { return kind_; }

    /// Returns the type of a member; every member of a form is a string.
    Kind kind(std::string_view name) const;
    /// Returns the value of a string member; otherwise an empty string.
    crypto::Secret text(std::string_view name) const;
    /// Returns the value of a boolean member; otherwise `absent`.
    bool boolean(std::string_view name, bool absent) const;
    /// Returns the members as JSON, or nothing if the body is a form or not an object.
    std::optional<json::Object>& object() noexcept { return object_; }
    const std::optional<json::Object>& object() const noexcept { return object_; }

  private:
    Kind kind_ = Kind::absent;
    std::optional<json::Object> object_;
    /// The form, if there is no object. Valid for the lifetime of the request's body.
    std::string_view form_;
};

/// Returns the type's name in JavaScript.
std::string_view name_of(Parameters::Kind kind) noexcept;

/// Collects validation errors in better-auth's wording.
class ErrorList {
  public:
    /// source: "body" or "query".
    explicit ErrorList(std::string_view source) noexcept : source_(source) {}

    /// Adds an error about a member, or about the whole body or query if the name is empty.
    void add(std::string_view name, std::string_view error);
    /// Adds an error about a member of an unexpected type.
    void add_type(std::string_view name, std::string_view wanted, Parameters::Kind is);

    /// Returns the error reply, or nothing if there are no errors.
    std::optional<http::Reply> reply() const;

  private:
    std::string_view source_;
    std::string errors_;
};

/// Checks the members of a body.
class ValidationErrors : public ErrorList {
  public:
    /// Adds an error unless the body is an object or a form. The parameters must outlive the
    /// object.
    explicit ValidationErrors(const Parameters& parameters);

    /// Adds an error unless the member is of the type.
    void expect(std::string_view name, Parameters::Kind wanted);
    /// As above, but the member may be absent.
    void expect_optional(std::string_view name, Parameters::Kind wanted);
    /// Adds an error if the member is absent; a value of any type is converted to a string.
    void expect_any(std::string_view name);

  private:
    /// Returns whether the body has members to check.
    bool has_members() const noexcept { return parameters_.kind() == Parameters::Kind::object; }

    const Parameters& parameters_;
};

} // namespace useradmin::sign_in
