// Who is calling, as an auth module says it.
#pragma once

#include "api/access.hpp"
#include "httpd/notes.hpp"
#include "httpd/request_log.hpp"
#include "service/configuration.hpp"

#include <optional>

namespace useradmin::service {

/// The caller of a request (specification, section 5); nothing where there is no session. The
/// sources are asked on the request and then on those that it came from, since an internal redirect
/// starts with empty notes. The user table is the service's own, as UserAdminTables names it. The
/// id lives as long as the request.
std::optional<api::Caller> caller_of(request_rec* request, const SessionSource& session,
                                     std::string_view user_table, httpd::RequestLog& log);

} // namespace useradmin::service
