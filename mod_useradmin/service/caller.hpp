// The caller, as reported by an auth module.
#pragma once

#include "api/access.hpp"
#include "httpd/notes.hpp"
#include "httpd/request_log.hpp"
#include "service/configuration.hpp"

#include <optional>

namespace useradmin::service {

/// Returns the caller of a request (specification, section 5), or nothing if there is no session.
/// Evaluates the sources on the request and then on the requests it came from, because an internal
/// redirect starts with empty notes. The id is valid as long as the request.
std::optional<api::Caller> caller_of(request_rec* request, const SessionSource& session,
                                     std::string_view user_table, httpd::RequestLog& log);

/// Logs why the service found no caller in its Location, unless mod_auth_useradmin explains it.
void log_missing_caller(request_rec* request, const ServiceSettings& settings,
                        httpd::RequestLog& log);

} // namespace useradmin::service
