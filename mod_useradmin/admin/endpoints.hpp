// The endpoints' handlers and the functions that they share.
#pragma once

#include "admin/responses.hpp"
#include "admin/service.hpp"
#include "sign_in/parameters.hpp"

#include <string>
#include <string_view>

namespace useradmin::admin {

using Kind = sign_in::Parameters::Kind;

/// The arguments of a handler.
struct Call {
    const http::Request& request;
    sign_in::Parameters& parameters;
    const api::Caller& caller;
    const Service& service;
    /// The error if the caller lacks the permission.
    const Problem& forbidden;
    audit::Event& event;

    bool may(Action action) const noexcept;
};

/// Validates a request's body or query. Returns the error response, or std::nullopt if it is valid.
using Validate = std::optional<Response> (*)(const http::Request& request,
                                             sign_in::Parameters& parameters);

/// An entry of the routing table.
struct Endpoint {
    std::string_view name;
    std::string_view method;
    /// The operation's name in metrics and in the audit log.
    std::string_view operation;
    bool is_change;
    /// The action that the caller must be allowed to take. std::nullopt if any session suffices.
    std::optional<Action> action;
    Problem forbidden;
    Validate validate;
    Response (*handler)(Call& call);
};

Response list_users(Call& call);
Response get_user(Call& call);
Response create_user(Call& call);
Response update_user(Call& call);
Response set_role(Call& call);
Response ban_user(Call& call);
Response unban_user(Call& call);
Response remove_user(Call& call);
Response set_user_password(Call& call);
Response list_user_sessions(Call& call);
Response revoke_user_session(Call& call);
Response revoke_user_sessions(Call& call);
Response has_permission(Call& call);
Response impersonate_user(Call& call);
Response stop_impersonating(Call& call);

/// Returns the error response if better-auth would reject the list-users query, otherwise
/// std::nullopt.
std::optional<Response> validate_list_query(const http::Request& request,
                                            sign_in::Parameters& parameters);

/// Returns the roles in the member as a comma-separated list. Returns std::nullopt if the member is
/// neither a string nor an array of strings.
std::optional<std::string> roles_in(const json::Object& object, std::string_view member);

/// Returns the caller's id and roles. The store checks them again when it makes a change. Returns
/// std::nullopt if the caller is not from the user table.
std::optional<store::Actor> actor_of(const Call& call);
/// Returns the guard for a change (UserAdminGuard). revokes_super_admin: whether the change may
/// delete or ban the user or take away the superAdmin role.
store::UpdateGuard guard_of(const Call& call, bool revokes_super_admin);
/// Adds to the audit event the names of the extra columns that the changes set. Returns the error
/// response if the table's columns cannot be read, otherwise std::nullopt.
std::optional<Response> log_columns(Call& call, const store::Changes& changes);
/// Returns whether UserAdminGuard limits the caller to users with the "user" role.
bool is_limited_by_rank(const Call& call);
/// Returns whether UserAdminGuard forbids the caller from assigning the roles.
bool guard_forbids_roles(const Call& call, std::string_view roles);
/// Returns whether UserAdminGuard forbids the caller from changing the user.
bool guard_forbids_change(const Call& call, const model::User& user);

} // namespace useradmin::admin
