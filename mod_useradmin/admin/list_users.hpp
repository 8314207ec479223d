// The query of GET admin/list-users.
#pragma once

#include "admin/replies.hpp"
#include "sign_in/parameters.hpp"

#include <optional>

namespace useradmin::admin {

/// Returns the reply to a query that better-auth rejects, or nothing.
std::optional<Reply> need_list_query(const http::Request& request, sign_in::Parameters& parameters);

} // namespace useradmin::admin
