// The second step of signing in, as better-auth's plugin twoFactor does it.
#pragma once

#include "sign_in/service.hpp"

#include <string_view>

namespace useradmin::sign_in {

/// Returns whether the client's device is trusted for the user, so that the password is enough.
bool is_trusted_device(std::string_view user_id, const Client& client, const Service& service);

/// Renews the trust in the client's device for 30 days and adds the cookie. On failure, the store
/// logs why, and the next sign-in requires a code.
void renew_trust(http::Reply& reply, std::string_view user_id, const Client& client,
                 const Service& service);

/// Returns the reply to a correct password: a challenge that a code completes. If second factors
/// are not or cannot be verified, the reply is a refusal.
http::Reply require_second_factor(const model::User& user, bool is_remembered, const Client& client,
                                  const Service& service);

} // namespace useradmin::sign_in
