// TLS for a connection to Redis.
#pragma once

#include <string>

struct redisContext;

namespace useradmin::secondary_storage {

/// Whether this build supports TLS. Requires hiredis 1.0 or later.
#ifdef USERADMIN_HIREDIS_SSL
inline constexpr bool is_tls_available = true;
#else
inline constexpr bool is_tls_available = false;
#endif

/// Starts TLS on a new connection. Returns an error message, or an empty string on success. The
/// server's certificate must be valid for the host and signed by a certificate authority that the
/// system trusts. The connection's timeout applies to each read and write. Defined only if
/// is_tls_available.
std::string start_tls(redisContext& context, const char* host);

} // namespace useradmin::secondary_storage
