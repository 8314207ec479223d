// The operations of section 4 of the specification and of UserAdminExtras.
#pragma once

#include "api/envelope.hpp"
#include "json/reader.hpp"

namespace useradmin::api {

struct Operation;

/// The arguments of an operation.
struct Call {
    const http::Request& request;
    /// std::nullopt if there is no session.
    const std::optional<Caller>& caller;
    /// The decoded id in the path, or empty for the collection.
    std::string_view id;
    audit::Event& event;
    const Operation& operation;
    /// The body, or the data of a bulk request. std::nullopt if the operation reads no body, or if
    /// it is not a valid JSON object.
    const std::optional<json::Object>& body;
    /// The versions that If-Match allows; see if_match_versions().
    store::Versions versions = {};
    /// The decoded id of a session or sign-in method in the path, or empty.
    std::string_view item_id = {};
    /// The kind of the sign-in method in the path.
    model::MethodKind kind = {};
};

/// GET (4.1)
Response list_users(const Call& call, const Service& service);
/// POST (4.2)
Response create_user(const Call& call, const Service& service);
/// GET {id} (4.3)
Response get_user(const Call& call, const Service& service);
/// PUT {id} (4.4)
Response update_user(const Call& call, const Service& service);
/// DELETE {id} (4.4.1)
Response delete_user(const Call& call, const Service& service);

/// Whether an operation reads a JSON body. An empty optional body is read as {}.
enum class BodyUse { none, required, optional };

/// An entry of the routing table.
struct Operation {
    std::string_view method;
    /// The path below the base address, as in the OpenAPI document, without the leading slash.
    std::string_view path;
    /// The name in metrics and in the audit log.
    std::string_view name;
    Response (*handler)(const Call& call, const Service& service);
    /// The error message for an unexpected failure (section 7).
    Text failure_text;
    /// The error message for a caller outside the audience.
    Text forbidden_text;
    Audience audience = Audience::super_administrators;
    BodyUse body = BodyUse::none;
    /// The kind of link that the operation sends. If the settings do not enable this kind, the path
    /// is unknown.
    std::optional<mail::Kind> link = {};
};

/// Returns all operations. HEAD is handled as GET.
std::span<const Operation> operations() noexcept;

/// Returns the value of the Allow header for a path below the base address. The path may have
/// parameters, as in the OpenAPI document.
std::string allowed_methods(std::string_view path, bool has_extras);

/// Returns the response to a failure, with the operation's messages.
inline Response failure_response(store::Failure failure, const Operation& operation) {
    return failure_response(failure, operation.failure_text, operation.forbidden_text);
}

/// GET {id}/sessions
Response list_sessions(const Call& call, const Service& service);
/// DELETE {id}/sessions
Response end_sessions(const Call& call, const Service& service);
/// DELETE {id}/sessions/{session id}
Response end_session(const Call& call, const Service& service);
/// POST bulk
Response change_in_bulk(const Call& call, const Service& service);
/// PUT {id}/password
Response set_password(const Call& call, const Service& service);
/// PUT {id}/ban
Response ban_user(const Call& call, const Service& service);
/// DELETE {id}/ban
Response unban_user(const Call& call, const Service& service);
/// DELETE {id}/second-factor
Response reset_second_factor(const Call& call, const Service& service);
/// GET {id}/events
Response list_events(const Call& call, const Service& service);
/// GET {id}/sign-in-methods
Response list_sign_in_methods(const Call& call, const Service& service);
/// DELETE {id}/sign-in-methods/{kind}/{method id}
Response remove_sign_in_method(const Call& call, const Service& service);
/// POST {id}/password-link and {id}/verification-link
Response send_user_link(const Call& call, const Service& service);

} // namespace useradmin::api
