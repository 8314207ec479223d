// Which row a request wants to change: If-Match (RFC 9110, section 13.1.1).
#pragma once

#include "http/message.hpp"
#include "store/store.hpp"

namespace useradmin::api {

/// The versions of a user that the request's If-Match names; any where it has none, or "*", since
/// the user is there by then. A malformed one names none.
store::Versions if_match_versions(const http::Headers& headers);
/// Whether the user's row is of one of them.
bool matches_version(const model::User& user, const store::Versions& versions);

} // namespace useradmin::api
