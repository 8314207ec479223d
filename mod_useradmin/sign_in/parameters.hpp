// The members of a request's body: a JSON object or a form.
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

    /// Reads the body. Returns the error reply if it is neither a JSON object nor a form.
    static std::variant<Parameters, http::Reply> read(const http::Request& request);

    /// Returns the type of a member; every member of a form is a string.
    Kind kind(std::string_view name) const;
    /// Returns the text of a string; otherwise an empty one.
    crypto::Secret text(std::string_view name) const;
    /// Returns the value of a boolean; otherwise `absent`.
    bool boolean(std::string_view name, bool absent) const;

  private:
    std::optional<json::Object> object_;
    /// The form, if there is no object. Valid as long as the request's body.
    std::string_view form_;
};

/// Collects validation errors in better-auth's wording.
class ValidationErrors {
  public:
    /// The parameters must outlive the object.
    explicit ValidationErrors(const Parameters& parameters) noexcept : parameters_(parameters) {}

    /// Adds an error unless the member is of the type.
    void expect(std::string_view name, Parameters::Kind wanted);
    /// As above, but the member may be absent.
    void expect_optional(std::string_view name, Parameters::Kind wanted);

    /// Returns the error reply, or nothing if there are no errors.
    std::optional<http::Reply> reply() const;

  private:
    const Parameters& parameters_;
    std::string errors_;
};

} // namespace useradmin::sign_in
