// The five operations of the specification's section 4, one file each, and those of
// UserAdminExtras.
#pragma once

#include "api/description.hpp"
#include "api/service.hpp"

namespace useradmin::api {

using http::Reply;

/// A request for one of them.
struct Call {
    const http::Request& request;
    /// Nothing: no session.
    const std::optional<Caller>& caller;
    /// The id in the path, decoded; empty for the collection.
    std::string_view id;
    /// What is told of it.
    audit::Event& event;
    /// The id of the session in the path, decoded; empty where it names none.
    std::string_view session_id = {};
};

/// 4.1
Reply list_users(const Call& call, const Service& service);
extern const Description list_users_description;
/// 4.2
Reply create_user(const Call& call, const Service& service);
extern const Description create_user_description;
/// 4.3
Reply get_user(const Call& call, const Service& service);
extern const Description get_user_description;
/// 4.4
Reply update_user(const Call& call, const Service& service);
extern const Description update_user_description;
/// 4.4.1
Reply delete_user(const Call& call, const Service& service);
extern const Description delete_user_description;

/// What a path below the base address stands for.
enum class Resource { none, users, user, sessions, session, password, ban };

/// Whether it is there with UserAdminExtras alone.
constexpr bool requires_extras(Resource resource) noexcept {
    return resource != Resource::users && resource != Resource::user;
}

/// Which function answers what.
struct Operation {
    std::string_view method;
    /// What it is called where it is counted or told of.
    std::string_view name;
    Resource resource;
    bool changes_something;
    Reply (*handler)(const Call& call, const Service& service);
    /// The text of an unexpected failure (section 7).
    std::string_view failure_text;
    /// None can be without.
    const Description& description;
};

/// All operations. HEAD goes with GET.
std::span<const Operation> operations() noexcept;

/// The value of Allow.
std::string methods_of(Resource resource);

/// GET {id}/sessions
Reply list_sessions(const Call& call, const Service& service);
extern const Description list_sessions_description;
/// DELETE {id}/sessions
Reply end_sessions(const Call& call, const Service& service);
extern const Description end_sessions_description;
/// DELETE {id}/sessions/{session id}
Reply end_session(const Call& call, const Service& service);
extern const Description end_session_description;
/// PUT {id}/password
Reply set_password(const Call& call, const Service& service);
extern const Description set_password_description;
/// PUT {id}/ban
Reply ban_user(const Call& call, const Service& service);
extern const Description ban_user_description;
/// DELETE {id}/ban
Reply unban_user(const Call& call, const Service& service);
extern const Description unban_user_description;

} // namespace useradmin::api
