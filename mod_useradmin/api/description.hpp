// What an operation is to those who call it. Its file says it beside the code that makes it so; the
// OpenAPI document is made of it.
#pragma once

#include <span>
#include <string_view>

namespace useradmin::api {

/// What a value is, in a query or in JSON.
enum class Type {
    text,
    page_number,
    page_size, ///< at most UserAdminMaxLimit
    boolean,
    time,
};

/// A parameter of the query.
struct Parameter {
    std::string_view name;
    Type type;
    std::string_view meaning;
    /// What alone it may be; empty: whatever is of the type.
    std::span<const std::string_view> words = {};
    /// An example.
    std::string_view example = {};
};

/// A member of the object that a request's body is.
struct Member {
    std::string_view name;
    Type type;
    std::string_view meaning;
    bool is_required = false;
    bool may_be_null = false;
};

/// What has to be on for something to happen.
enum class Condition { none, last_super_admin_guard };

/// An error that the operation's own checks answer.
struct Refusal {
    int status;
    /// Of texts.hpp.
    std::string_view text;
    Condition condition = Condition::none;
};

/// What the envelope of a success holds.
enum class Content {
    users,        ///< a page of users
    user,         ///< the eleven fields, with an ETag
    full_user,    ///< the whole row, with an ETag
    sessions,     ///< a user's sessions
    confirmation, ///< a text
};

/// Views of what lives as long as the program.
struct Description {
    /// A line.
    std::string_view summary;
    /// Who may do it, and what happens.
    std::string_view text;
    Content content;
    /// The text of a confirmation.
    std::string_view confirmation = {};
    std::span<const Parameter> parameters = {};
    /// Empty where no body is read.
    std::span<const Member> body = {};
    /// Whether the body may be absent where one is read.
    bool is_body_optional = false;
    /// An example of the body.
    std::string_view body_example = {};
    /// Whether If-Match is looked at.
    bool supports_if_match = false;
    /// Beside what each operation may answer: no session, no connection and the like.
    std::span<const Refusal> refusals = {};
};

} // namespace useradmin::api
