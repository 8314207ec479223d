// Responses in better-auth's format.
#pragma once

#include "sign_in/service.hpp"

#include <string_view>

namespace useradmin::sign_in {

using http::Response;

/// Returns {"message":"…","code":"…"}. Omits an empty code.
Response error(int status, std::string_view message, std::string_view code = {});

/// Returns the standard error for a status.
Response status_error(int status);

/// Returns the response to a database failure.
Response store_error(store::Failure failure);

/// Returns the response to a rejected sign-in.
Response rejection_of(const SignInResult& result);

/// Returns {"redirect":…,"token":"…","url":"…","user":{…}}. Like better-auth, omits url if it is
/// absent.
Response signed_in(std::string_view token, const model::NullableText& url, const model::User& user);

/// Returns {"token":"…","user":{…}}. Omits an empty token.
Response verified(std::string_view token, const model::User& user);

/// Returns {"session":{…},"user":{…}}.
Response session(const store::SessionWithUser& session_with_user);

} // namespace useradmin::sign_in
