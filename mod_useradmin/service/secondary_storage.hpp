// UserAdminSecondaryStorage: ends revoked sessions in the application's Redis.
#pragma once

#include "httpd/deliveries.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"
#include "secondary_storage/redis.hpp"

#include <algorithm>
#include <vector>

namespace useradmin::service {

/// The value of `UserAdminSecondaryStorage URL [prefix] [required]`.
struct SecondaryStorage {
    /// nullptr: none.
    const secondary_storage::RedisAddress* address = nullptr;
    bool is_required = false;
    /// The deliveries to the storage, set by start_deliveries(); nullptr: none.
    const std::vector<const httpd::DeliveryState*>* deliveries = nullptr;

    bool operator==(const SecondaryStorage&) const = default;
    /// Returns whether the application goes on accepting sessions that are revoked now.
    bool fails() const noexcept {
        return deliveries != nullptr &&
               std::any_of(
                   deliveries->begin(), deliveries->end(),
                   [](const auto* delivery) {
                       return delivery->storage >= httpd::StorageState::no_table;
                   });
    }
};

/// The value of the Warning header while the storage fails (RFC 7234, 5.5).
inline constexpr const char* failure_warning =
    "199 - \"The application accepts the user's sessions until its secondary storage can be "
    "reached\"";

const char* read_secondary_storage(const httpd::ConfigLine& line, SecondaryStorage& storage);

/// Returns what the directive needs but lacks, or nullptr. For check_config.
const char* missing_for_deliveries() noexcept;

/// Starts the deliveries: one child at a time delivers revocations, every second. For post_config,
/// after httpd::start(). Throws std::exception.
void start_deliveries(apr_pool_t* configuration_pool, server_rec* servers);

/// Makes a child end its deliveries before its database connections are closed. For child_init.
void end_deliveries_with(apr_pool_t* child_pool, server_rec* servers) noexcept;

/// The modules whose child_init must run after start_child of this module.
inline constexpr const char* before_deliveries[] = {"mod_dbd.c", "mod_watchdog.c", nullptr};

} // namespace useradmin::service
