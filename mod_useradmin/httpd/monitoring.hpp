// What a running server tells its operator.
#pragma once

#include "httpd/backend.hpp"
#include "httpd/httpd.hpp"
#include "httpd/metrics.hpp"

#include <string_view>

namespace useradmin::httpd {

/// In log_transaction, with the client's request: counts it, now that it was answered. The
/// operation is empty where it was none.
void count_request(const request_rec* first, const Metrics& metrics, std::string_view operation);

/// How a module finds out what its directives say for a request.
using SettingsLookup = BackendSettings(const request_rec* request);

/// The handlers of `SetHandler useradmin-metrics` and `SetHandler useradmin-health`, for the module
/// that is asked first. DECLINED for all other requests.
int handle_monitoring(request_rec* request, const module& owner, SettingsLookup& settings) noexcept;

/// The section on mod_status' page, of the module that is asked first.
int add_to_status(request_rec* request, int flags, const module& owner) noexcept;

/// Hooks both in for a module, whose turn is as the order says: of two, the first one answers.
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
