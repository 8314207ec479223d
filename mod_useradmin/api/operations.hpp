// The five operations of the specification's section 4, one file each.
#pragma once

#include "api/description.hpp"
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
enum class Resource { users, user };

/// Which function answers what.
struct Operation {
    std::string_view method;
    /// What it is called where it is counted or told of.
    std::string_view name;
    Resource resource;
    bool changes_something;
    Reply (*answer)(const Call& call, const Service& service);
    /// The text of an unexpected failure (section 7).
    std::string_view failure_text;
    /// None can be without.
    const Description& description;
};

/// All operations. HEAD goes with GET.
std::span<const Operation> operations() noexcept;

/// The value of Allow.
std::string methods_of(Resource resource);

} // namespace useradmin::api
