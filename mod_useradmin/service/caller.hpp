// The caller, as reported by an auth module.
#pragma once

#include "admin/service.hpp"
#include "api/access.hpp"
#include "httpd/notes.hpp"
#include "httpd/request_log.hpp"
#include "service/configuration.hpp"

#include <optional>

namespace useradmin::service {

/// Returns the caller of a request, with the role as the source states it, or nothing if there is
/// no session. Evaluates the sources on the request and then on the requests it came from, because
/// an internal redirect starts with empty notes. The views are valid for the lifetime of the
/// request.
std::optional<admin::Caller> stated_caller(request_rec* request, const SessionSource& session,
                                           std::string_view user_table, httpd::RequestLog& log);

/// Returns the caller with its role according to section 5 of the specification.
std::optional<api::Caller> caller_with_role(const std::optional<admin::Caller>& stated) noexcept;

/// Logs why the service found no caller in its Location, unless mod_auth_useradmin logs it.
void log_missing_caller(request_rec* request, const ServiceSettings& settings,
                        httpd::RequestLog& log);

} // namespace useradmin::service
