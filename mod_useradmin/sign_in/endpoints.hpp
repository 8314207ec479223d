// The endpoints for sign-in, sign-out and the current session.
#pragma once

#include "sign_in/service.hpp"

namespace useradmin::sign_in {

using http::Reply;
using http::Request;

/// POST /sign-in/email
Reply sign_in_with_email(const Request& request, const Client& client, const Service& service);
/// POST /two-factor/verify-totp
Reply verify_totp(const Request& request, const Client& client, const Service& service);
/// POST /two-factor/verify-backup-code
Reply verify_backup_code(const Request& request, const Client& client, const Service& service);
/// POST /sign-out
Reply sign_out(const Request& request, const Client& client, const Service& service);
/// GET /get-session
Reply get_session(const Request& request, const Client& client, const Service& service);

} // namespace useradmin::sign_in
