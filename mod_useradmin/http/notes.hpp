// The contract between an auth module and the service.
#pragma once

namespace useradmin::http {

/// The notes of a request by which an auth module names the caller: no id, no session; no role,
/// `user`.
inline constexpr const char* id_note = "session-user-id";
inline constexpr const char* role_note = "session-user-role";

} // namespace useradmin::http
