// The endpoints for sign-in, sign-out and the current session.
#pragma once

#include "sign_in/service.hpp"

namespace useradmin::sign_in {

using http::Request;
using http::Response;

/// POST /sign-in/email
Response sign_in_with_email(const Request& request, const Client& client, const Service& service);
/// POST /two-factor/verify-totp
Response verify_totp(const Request& request, const Client& client, const Service& service);
/// POST /two-factor/verify-backup-code
Response verify_backup_code(const Request& request, const Client& client, const Service& service);
/// POST /sign-out
Response sign_out(const Request& request, const Client& client, const Service& service);
/// GET /get-session
Response get_session(const Request& request, const Client& client, const Service& service);

} // namespace useradmin::sign_in
