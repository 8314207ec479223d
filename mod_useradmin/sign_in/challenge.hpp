// The challenge issued after a correct password if the user has a second factor. It is a row of the
// verification table, and a cookie contains the row's identifier. Compatible with better-auth's
// twoFactor plugin.
#pragma once

#include "sign_in/service.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::sign_in {

/// Returns the response to a correct password: a challenge that requires a code. If second factors
/// are disabled or the challenge cannot be stored, rejects the sign-in. If the database is
/// unavailable, returns 503.
http::Response require_second_factor(const SignInResult& result, bool is_remembered,
                                     const Client& client, const Service& service);

/// Returns the id of the user whom the client's challenge names, or not_found if there is no such
/// challenge.
store::Result<std::string_view> find_challenge(const Client& client, const Service& service);

/// Returns the account's password hash, or an empty string if the application issued the
/// challenge. Fails with not_found if the account has changed since the challenge was issued.
store::Result<std::string_view>
find_password_hash(const model::User& user, std::string_view challenge, const Service& service);

/// Returns the identifier of the verification row that counts a challenge's attempts. better-auth
/// 1.6.21 and later reject every code if this row is missing.
std::string attempts_of(std::string_view challenge);

/// Counts an attempt before the client learns its result, so concurrent requests get no extra
/// guesses. Returns an error response if the challenge is invalid, has no attempts left, or cannot
/// be updated, otherwise std::nullopt.
std::optional<http::Response> count_code(std::string_view user_id, std::string_view challenge,
                                         const Service& service);

/// Returns the response with the challenge's cookie expired.
http::Response end_challenge(http::Response response, const Service& service);

/// Returns the response to a challenge that is unknown or no longer valid.
http::Response invalid_challenge(const Service& service);

} // namespace useradmin::sign_in
