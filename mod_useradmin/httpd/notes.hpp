// The contract between an auth module and the service.
#pragma once

#include "apr/pool.hpp"
#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::httpd {

/// The notes of a request by which an auth module names the caller: no id, no session; no role,
/// `user`.
inline constexpr const char* id_note = "session-user-id";
inline constexpr const char* role_note = "session-user-role";

/// Names the caller of a request.
inline void note_caller(request_rec* request, std::string_view id, std::string_view role) {
    apr_table_setn(request->notes, id_note, apr::terminated(request->pool, id));
    apr_table_setn(request->notes, role_note, apr::terminated(request->pool, role));
}

} // namespace useradmin::httpd
