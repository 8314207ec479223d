// The five operations of the specification's section 4, one file each.
#pragma once

#include "api/service.hpp"

namespace useradmin::api {

using message::Reply;

/// A request for one of them.
struct Call {
    const message::Request& request;
    /// Nothing: no session.
    const std::optional<Caller>& caller;
    /// The id in the path, decoded; empty for the collection.
    std::string_view id;
    /// What is told of it.
    audit::Event& event;
};

/// 4.1
Reply list_users(const Call& call, const Service& service);
/// 4.2
Reply create_user(const Call& call, const Service& service);
/// 4.3
Reply get_user(const Call& call, const Service& service);
/// 4.4
Reply update_user(const Call& call, const Service& service);
/// 4.4.1
Reply delete_user(const Call& call, const Service& service);

} // namespace useradmin::api
