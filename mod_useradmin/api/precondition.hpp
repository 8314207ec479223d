// If-Match and If-None-Match (RFC 9110, sections 13.1.1 and 13.1.2).
#pragma once

#include "http/message.hpp"
#include "store/store.hpp"

namespace useradmin::api {

/// Returns the strong tags in If-Match, or std::nullopt if the header is absent or "*". Ignores
/// weak tags, which never match, and malformed ones. If no tags are left or If-None-Match is "*",
/// returns an empty list, which matches no user.
store::Versions if_match_versions(const http::Headers& headers);
/// Like the above, but for the value of If-Match. std::nullopt means that the header is absent.
store::Versions if_match_versions(model::NullableText if_match);
/// Returns whether the user's row has one of the versions. std::nullopt matches every row.
bool matches_version(const model::User& user, const store::Versions& versions);

} // namespace useradmin::api
