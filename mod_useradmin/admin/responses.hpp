// Responses in the format of better-auth's admin plugin.
#pragma once

#include "admin/service.hpp"
#include "json/writer.hpp"

#include <string_view>
#include <vector>

namespace useradmin::admin {

using http::Response;

/// An error of the admin plugin (plugins/admin/error-codes) or of better-auth's core.
struct Problem {
    int status;
    std::string_view code;
    std::string_view message;
};

inline constexpr Problem user_not_found = {404, "USER_NOT_FOUND", "User not found"};
inline constexpr Problem user_exists = {400, "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL",
                                        "User already exists. Use another email."};
inline constexpr Problem invalid_email = {400, "INVALID_EMAIL", "Invalid email"};
inline constexpr Problem invalid_role_type = {400, "INVALID_ROLE_TYPE", "Invalid role type"};
inline constexpr Problem password_too_short = {400, "PASSWORD_TOO_SHORT", "Password too short"};
inline constexpr Problem password_too_long = {400, "PASSWORD_TOO_LONG", "Password too long"};
inline constexpr Problem cannot_ban_yourself = {400, "YOU_CANNOT_BAN_YOURSELF",
                                                "You cannot ban yourself"};
inline constexpr Problem cannot_remove_yourself = {400, "YOU_CANNOT_REMOVE_YOURSELF",
                                                   "You cannot remove yourself"};
inline constexpr Problem no_data = {400, "NO_DATA_TO_UPDATE", "No data to update"};
inline constexpr Problem password_not_updated = {
    400, "PASSWORD_CANNOT_BE_UPDATED_VIA_UPDATE_USER",
    "Password cannot be updated through update-user. Use the set-user-password endpoint instead"};
inline constexpr Problem id_not_updated = {400, "USER_ID_CANNOT_BE_UPDATED",
                                           "User id cannot be updated"};
inline constexpr Problem forbidden_role = {403, "YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE",
                                           "You are not allowed to change users role"};
inline constexpr Problem forbidden_ban = {403, "YOU_ARE_NOT_ALLOWED_TO_BAN_USERS",
                                          "You are not allowed to ban users"};
inline constexpr Problem forbidden_email = {403, "YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL",
                                            "You are not allowed to update users email"};
inline constexpr Problem forbidden_phone = {403, "YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PHONE_NUMBER",
                                            "You are not allowed to update users phone number"};
// The following errors do not exist in better-auth.
inline constexpr Problem id_not_accepted = {400, "USER_ID_CANNOT_BE_SET",
                                            "The id of a new user cannot be set"};
inline constexpr Problem protected_user = {403, "USER_IS_PROTECTED",
                                           "This user is protected and cannot be removed"};
inline constexpr Problem outranked = {403, "USER_OUTRANKS_YOU",
                                      "You are allowed to change users of the role user only"};
inline constexpr Problem last_super_admin = {
    403, "USER_IS_LAST_SUPER_ADMIN", "The last superAdmin can neither be banned nor lose the role"};
inline constexpr Problem invalid_value = {400, "INVALID_VALUE",
                                          "A column cannot hold one of the values"};

/// Returns {"message":"…","code":"…"}.
Response error(const Problem& problem);

/// Returns a 401 with an empty body.
Response no_session();

/// Returns the response to a failure. forbidden: the error if the caller has lost the permission.
Response failure_response(store::Failure failure, const Problem& forbidden);
Response failure_response(password::HashFailure failure);

/// Writes a user, including the extra columns that were read.
void write_user(json::Writer& writer, const model::User& user);
/// Returns the user without an enclosing object: {"name":"…",…}.
Response user_response(const model::User& user);
/// Returns {"user":{…}}.
Response wrapped_user(const model::User& user);
/// Returns {"sessions":[…]}. Unless shows_tokens is set, replaces each token with the session's id.
Response sessions_response(const std::vector<model::Session>& sessions, bool shows_tokens);
/// Returns an object in which the member is true, such as {"success":true}.
Response confirmation(std::string_view member);

} // namespace useradmin::admin
