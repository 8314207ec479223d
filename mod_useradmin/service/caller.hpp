// The caller according to an auth module or UserAdminSession.
#pragma once

#include "api/access.hpp"
#include "httpd/notes.hpp"
#include "httpd/request_log.hpp"
#include "service/configuration.hpp"

#include <optional>

namespace useradmin::service {

/// A fixups hook that keeps the notes about the caller, so read_caller() recognizes later changes.
int keep_caller_notes(request_rec* request) noexcept;

/// Returns the caller, or std::nullopt if there is no session. Tries the request first and then the
/// requests that led to it, because an internal redirect starts with empty notes. Stops at a
/// request whose credential was rejected or whose notes were changed after its fixups. The views
/// are valid for the lifetime of the request.
std::optional<api::Caller> read_caller(request_rec* request, const ServiceSettings& settings,
                                       httpd::RequestLog& log);

/// The advice for a Location where no module authenticates the callers.
inline constexpr const char* authentication_advice =
    "set AuthUserAdmin On or UserAdminSession in the Location";

/// Logs why the request has no caller, unless mod_auth_useradmin logs it.
void log_missing_caller(request_rec* request, const ServiceSettings& settings,
                        httpd::RequestLog& log);

} // namespace useradmin::service
