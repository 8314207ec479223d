// The second step of sign-in, compatible with better-auth's twoFactor plugin.
#pragma once

#include "sign_in/service.hpp"

#include <string_view>

namespace useradmin::sign_in {

/// Returns whether the user may sign in on the client's device with only the password.
bool is_trusted_device(std::string_view user_id, const Client& client, const Service& service);

/// Trusts the client's device for another 30 days and adds the cookie. If this fails, the store
/// logs why and the next sign-in requires a code.
void renew_trust(http::Response& response, std::string_view user_id, const Client& client,
                 const Service& service);

/// Returns the response to a correct password: a challenge that requires a code. If second factors
/// are disabled or the challenge cannot be stored, rejects the sign-in. If the database is
/// unavailable, returns 503.
http::Response require_second_factor(const SignInResult& result, bool is_remembered,
                                     const Client& client, const Service& service);

} // namespace useradmin::sign_in
