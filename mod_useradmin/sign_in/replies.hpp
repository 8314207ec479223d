// Replies as better-auth writes them.
#pragma once

#include "sign_in/service.hpp"

#include <string_view>

namespace useradmin::sign_in {

using http::Reply;

/// {"message":"…","code":"…"}; without a code the message alone.
Reply error(int status, std::string_view message, std::string_view code = {});

/// The reply to database work that failed.
Reply store_error(store::Failure failure);

/// The reply to a body that could not be read whole.
Reply body_error(const http::Body& body);

/// {"redirect":…,"token":"…","url":"…","user":{…}}; the library leaves out a url that is absent.
Reply signed_in(std::string_view token, const model::NullableText& url, const model::User& user);

/// {"session":{…},"user":{…}}
Reply session(const store::SessionWithUser& signed_in);

/// Adds the headers that hand out a session.
void add_session_cookies(Reply& reply, std::string_view token, bool is_remembered,
                         const Service& service);
/// Adds the headers that end one.
void add_expired_cookies(Reply& reply, const Service& service);

} // namespace useradmin::sign_in
