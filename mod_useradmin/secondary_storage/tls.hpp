// TLS for a connection to Redis.
#pragma once

#include <functional>
#include <string>

struct redisContext;

namespace useradmin::secondary_storage {

/// Whether this build supports TLS. Requires hiredis 1.0 or later.
#ifdef USERADMIN_HIREDIS_SSL
inline constexpr bool is_tls_available = true;
#else
inline constexpr bool is_tls_available = false;
#endif

/// Starts TLS on a new non-blocking connection. Returns an error message, or an empty string on
/// success. The server's certificate must be valid for the host and signed by a certificate
/// authority that the system trusts. wait: waits until the socket is ready for the poll() events,
/// and returns false if it takes too long. Defined only if is_tls_available.
std::string start_tls(redisContext& context, const char* host,
                      const std::function<bool(short events)>& wait);

} // namespace useradmin::secondary_storage
