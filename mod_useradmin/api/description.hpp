// The description of an operation for the OpenAPI document. It is next to the code of the
// operation.
#pragma once

#include <span>
#include <string_view>

namespace useradmin::api {

/// The type of a value in a query or in JSON.
enum class Type {
    text,
    page_number,
    page_size, ///< at most UserAdminMaxLimit
    boolean,
    time,
};

/// A query parameter.
struct Parameter {
    std::string_view name;
    Type type;
    std::string_view meaning;
    /// The allowed values; empty: any of the type.
    std::span<const std::string_view> words = {};
    /// An example.
    std::string_view example = {};
};

/// A member of the body's object.
struct Member {
    std::string_view name;
    Type type;
    std::string_view meaning;
    bool is_required = false;
    bool may_be_null = false;
};

/// The setting that enables something.
enum class Condition { none, last_super_admin_guard };

/// An error of the operation's own checks.
struct Refusal {
    int status;
    /// A text of texts.hpp.
    std::string_view text;
    Condition condition = Condition::none;
};

/// The content of a success envelope.
enum class Content {
    users,        ///< a page of users
    user,         ///< the eleven fields and an ETag
    full_user,    ///< the full row and an ETag
    sessions,     ///< the user's sessions
    confirmation, ///< a text
};

/// All views are of static data.
struct Description {
    /// One line.
    std::string_view summary;
    /// Access rules and effects.
    std::string_view text;
    Content content;
    /// The text of a success without data.
    std::string_view confirmation = {};
    std::span<const Parameter> parameters = {};
    /// Empty if the operation reads no body.
    std::span<const Member> body = {};
    /// Whether the body is optional.
    bool is_body_optional = false;
    /// An example body.
    std::string_view body_example = {};
    /// Whether If-Match is evaluated.
    bool supports_if_match = false;
    /// Errors in addition to those of every operation.
    std::span<const Refusal> refusals = {};
};

} // namespace useradmin::api
