// Handlers and hooks for metrics, the health check and mod_status.
#pragma once

#include "httpd/backend.hpp"
#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::httpd {

// The arguments of SetHandler.
inline constexpr std::string_view metrics_handler = "useradmin-metrics";
inline constexpr std::string_view health_handler = "useradmin-health";

/// Call from log_transaction. Counts a finished request once, unless it was for metrics or health.
/// first: the client's original request. An empty operation is counted as "other".
void count_request(const request_rec* first, const Backend& backend, std::string_view operation);

/// Returns a module's settings for a request.
using SettingsLookup = BackendSettings(const request_rec* request);

/// Handles `SetHandler useradmin-metrics` and `SetHandler useradmin-health`. Returns DECLINED for
/// other handlers.
int handle_monitoring(request_rec* request, const module& owner, SettingsLookup& settings) noexcept;

/// Adds the section on user administration to mod_status's page, unless the other module has
/// already added it.
int add_to_status(request_rec* request, int flags, const module& owner) noexcept;

/// Registers handle_monitoring() and add_to_status() for a module. handle_monitoring() runs before
/// the modules' other handlers. Otherwise, they would handle its requests below a base address.
/// order: determines which of the two modules is called first.
template <const module& owner, SettingsLookup& settings>
void register_monitoring(int order = APR_HOOK_REALLY_FIRST - 2) noexcept {
    ap_hook_handler(
        [](request_rec* request) noexcept { return handle_monitoring(request, owner, settings); },
        nullptr, nullptr, order);
    APR_OPTIONAL_HOOK(
        ap, status_hook,
        [](request_rec* request, int flags) noexcept {
            return add_to_status(request, flags, owner);
        },
        nullptr, nullptr, order);
}

} // namespace useradmin::httpd
