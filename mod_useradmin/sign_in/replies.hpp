// Replies in better-auth's format.
#pragma once

#include "sign_in/service.hpp"

#include <string_view>

namespace useradmin::sign_in {

using http::Reply;

/// Returns {"message":"…","code":"…"}. Omits an empty code.
Reply error(int status, std::string_view message, std::string_view code = {});

/// Returns the standard error for a status.
Reply status_error(int status);

/// Returns the reply to a database failure.
Reply store_error(store::Failure failure);

/// Returns the reply to a request whose body could not be read.
Reply body_error(const http::Body& body);

/// Returns the reply to a rejected sign-in.
Reply refusal(const Verification& verification);

/// Returns {"redirect":…,"token":"…","url":"…","user":{…}}. Like better-auth, omits url if it is
/// absent.
Reply signed_in(std::string_view token, const model::NullableText& url, const model::User& user);

/// Returns {"token":"…","user":{…}}. Omits an empty token.
Reply verified(std::string_view token, const model::User& user);

/// Returns {"session":{…},"user":{…}}.
Reply session(const store::SessionWithUser& session_with_user);

/// Adds the Set-Cookie headers for a new session and, if bearer tokens are accepted, the token in
/// set-auth-token.
void add_session_cookies(Reply& reply, std::string_view token, bool is_remembered,
                         const Service& service);

} // namespace useradmin::sign_in
