// TLS for a connection to Redis.
#pragma once

#include <string>

struct redisContext;

namespace useradmin::secondary_storage {

/// Whether the build has TLS. It needs hiredis 1.0 or later.
#ifdef USERADMIN_HIREDIS_SSL
inline constexpr bool is_tls_available = true;
#else
inline constexpr bool is_tls_available = false;
#endif

/// Starts TLS on a new connection. The certificate must be that of the host, and signed by one of
/// the system's authorities. Each wait for the server has the connection's timeout. Returns why it
/// failed, or an empty text. Defined only with is_tls_available.
std::string start_tls(redisContext& context, const char* host);

} // namespace useradmin::secondary_storage
