// UserAdminSecondaryStorage: removes revoked sessions from the application's Redis.
#pragma once

#include "httpd/backend.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"
#include "secondary_storage/redis.hpp"

namespace useradmin::service {

/// The value of `UserAdminSecondaryStorage URL [prefix] [required]`.
struct StorageSetting {
    /// nullptr if there is no secondary storage.
    const secondary_storage::RedisAddress* address = nullptr;
    bool is_required = false;
    /// Identifies the URL and the prefix.
    const char* id = nullptr;

    bool operator==(const StorageSetting&) const = default;
};

/// Returns whether a delivery from the virtual host to the storage has failed or does not exist. If
/// so, the application keeps accepting sessions that are revoked now.
bool has_failed(const StorageSetting& storage, const server_rec* host);

/// The Warning header (RFC 7234, section 5.5) that is sent if a change revokes sessions while the
/// secondary storage is unavailable.
inline constexpr const char* failure_warning =
    "199 - \"The application accepts the user's sessions until its secondary storage can be "
    "reached\"";

const char* read_secondary_storage(const httpd::ConfigLine& line, StorageSetting& storage);

/// Returns an error message if the server uses a secondary storage but mod_watchdog is not loaded.
/// Otherwise, returns nullptr. Call it in check_config.
const char* missing_delivery_requirement(apr_pool_t* pool, const server_rec* server);

/// Registers the deliveries with mod_watchdog. Every second, one child runs each delivery. Call it
/// in the start_more function of httpd::start(). Throws std::exception.
void start_deliveries(apr_pool_t* configuration_pool, server_rec* servers);

/// Registers a cleanup that stops the child's deliveries before its database connections are
/// closed. Call it in child_init.
void stop_deliveries_at_exit(apr_pool_t* child_pool, server_rec* servers) noexcept;

} // namespace useradmin::service
