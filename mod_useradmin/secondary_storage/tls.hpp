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

/// Starts TLS on a new connection. Returns the error, or an empty string on success. The
/// certificate must be valid for the host and issued by one of the system's certification
/// authorities. The connection's timeout applies to each read and write. Defined only if
/// is_tls_available.
std::string start_tls(redisContext& context, const char* host);

} // namespace useradmin::secondary_storage
