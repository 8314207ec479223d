// Keeps other sites from signing a browser in or out, as better-auth does.
#pragma once

#include "sign_in/service.hpp"

#include <optional>
#include <string_view>

namespace useradmin::sign_in {

/// What refuses a sign-in that another site made; nothing where it may go on.
std::optional<Reply> refuse_foreign_sign_in(const Request& request);

/// The same for a request that counts for its cookies alone.
std::optional<Reply> refuse_foreign_cookies(const Request& request);

/// Whether a client may be sent there: a path, or an address of the same origin.
bool may_redirect_to(std::string_view url, std::string_view own_origin);

} // namespace useradmin::sign_in
