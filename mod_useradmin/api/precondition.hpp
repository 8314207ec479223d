// If-Match and If-None-Match (RFC 9110, sections 13.1.1 and 13.1.2).
#pragma once

#include "http/message.hpp"
#include "store/store.hpp"

namespace useradmin::api {

/// Returns the versions in If-Match, or std::nullopt if the header is absent or "*". Returns an
/// empty list, which matches no user, if the header is malformed or has no strong tag, or if
/// If-None-Match is "*".
store::Versions if_match_versions(const http::Headers& headers);
/// Returns whether the user's row has one of the versions. std::nullopt matches every row.
bool matches_version(const model::User& user, const store::Versions& versions);

} // namespace useradmin::api
