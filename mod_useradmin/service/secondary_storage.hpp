// UserAdminSecondaryStorage: ends sessions in the application's Redis after they were revoked here.
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
    /// Its deliveries, set by start_deliveries(); nullptr: none.
    const std::vector<const httpd::DeliveryState*>* deliveries = nullptr;

    bool operator==(const SecondaryStorage&) const = default;
    /// Returns whether what is revoked now goes on in the application.
    bool fails() const noexcept {
        return deliveries != nullptr &&
               std::any_of(
                   deliveries->begin(), deliveries->end(),
                   [](const auto* delivery) {
                       return delivery->storage >= httpd::StorageState::no_table;
                   });
    }
};

/// The value of Warning while the storage fails (RFC 7234, 5.5).
inline constexpr const char* failure_warning =
    "199 - \"The application accepts the user's sessions until its secondary storage is told\"";

const char* read_secondary_storage(const httpd::ConfigLine& line, SecondaryStorage& storage);

/// For check_config: returns nullptr, or what the directive needs.
const char* missing_for_deliveries() noexcept;

/// For post_config, after httpd::start(): lets one child at a time deliver revocations, each
/// second. Throws std::exception.
void start_deliveries(apr_pool_t* configuration_pool, server_rec* servers);

/// For child_init: ends the deliveries of a child before its database connections are closed.
void end_deliveries_with(apr_pool_t* child_pool, server_rec* servers) noexcept;

/// The modules whose child_init must run after that of this module: the deliveries start there.
inline constexpr const char* before_deliveries[] = {"mod_dbd.c", "mod_watchdog.c", nullptr};

} // namespace useradmin::service
