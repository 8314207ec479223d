// The five operations of the specification's section 4, one file each.
#pragma once

#include "api/service.hpp"

namespace useradmin::api {

/// 4.1
Reply list_users(const Request& request, const Service& service);
/// 4.2
Reply create_user(const Request& request, const Service& service);
/// 4.3; the id is decoded.
Reply get_user(const Request& request, std::string_view id, const Service& service);
/// 4.4
Reply update_user(const Request& request, std::string_view id, const Service& service);
/// 4.4.1
Reply delete_user(const Request& request, std::string_view id, const Service& service);

/// An address as it is stored.
std::string stored_email(std::string_view email, const Settings& settings);

} // namespace useradmin::api
