// Metrics, health and server-status.
#pragma once

#include "httpd/backend.hpp"
#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::httpd {

/// For log_transaction: counts a finished request. first: the client's request. An empty operation
/// counts as "other".
void count_request(const request_rec* first, const Backend& backend, std::string_view operation);

/// A function that returns a module's settings for a request.
using SettingsLookup = BackendSettings(const request_rec* request);

/// Handles `SetHandler useradmin-metrics` and `SetHandler useradmin-health`. The module that is
/// called first replies. Returns DECLINED for other requests.
int handle_monitoring(request_rec* request, const module& owner, SettingsLookup& settings) noexcept;

/// Writes the section in mod_status's page. The module that is called first writes it.
int add_to_status(request_rec* request, int flags, const module& owner) noexcept;

/// Registers these hooks for a module. The order decides which of two modules is called first.
template <const module& owner, SettingsLookup& settings>
void register_monitoring(int order = APR_HOOK_MIDDLE) noexcept {
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
