#include "httpd/monitoring.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "httpd/backend.hpp"
#include "httpd/health.hpp"
#include "httpd/prometheus.hpp"
#include "httpd/response.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace useradmin::httpd {

namespace {

/// Returns the metrics of all virtual hosts in the Prometheus text format.
std::string metrics_text(const module& owner) {
    const SharedState& shared = backend_of(ap_server_conf, owner).shared;
    ServerMetrics metrics{*shared.metrics};
    metrics.hash_capacity = shared.hash_slots->capacity();
    metrics.hashes_in_use = shared.hash_slots->in_use();
    for (const server_rec* server = ap_server_conf; server != nullptr; server = server->next) {
        const Backend& backend = backend_of(server, owner);
        // Virtual hosts with the same name and port share their metrics.
        if (std::ranges::any_of(metrics.virtual_hosts,
                                [&](const auto& other) { return other.name == backend.name; }))
            continue;
        const auto deliveries = snapshot_of(*shared.deliveries, [&](const HostDelivery& delivery) {
            return std::string_view(backend_of(delivery.host, owner).name) == backend.name;
        });
        const MetricsSnapshot sums = backend.shared_metrics->snapshot(*shared.metrics);
        if (sums != MetricsSnapshot() || deliveries)
            metrics.virtual_hosts.push_back({backend.name, sums, deliveries});
    }
    return prometheus_text(metrics);
}

int handle_metrics(request_rec* request, const module& owner) {
    const std::string text = metrics_text(owner);
    ap_set_content_type(request, prometheus_type);
    apr_table_setn(request->headers_out, "Cache-Control", "no-store");
    ap_rputs(text.c_str(), request);
    return OK;
}

} // namespace

void count_request(const request_rec* first, const Backend& backend, std::string_view operation) {
    const request_rec* last = first;
    while (last->next != nullptr)
        last = last->next;
    const std::string_view handler = apr::view_of(last->handler);
    if (handler == metrics_handler || handler == health_handler ||
        std::exchange(apr::find_or_emplace<bool>(first->pool, "useradmin counted"), true))
        return;
    backend.metrics.count_request(backend.shared.metrics->operation_index(operation), last->status,
                                  std::chrono::microseconds(apr_time_now() - first->request_time));
}

int handle_monitoring(request_rec* request, const module& owner,
                      SettingsLookup& settings) noexcept {
    const std::string_view handler = apr::view_of(request->handler);
    const bool is_metrics = handler == metrics_handler;
    if (!is_metrics && handler != health_handler)
        return DECLINED;
    set_nosniff(request);
    if (const std::optional<int> result = reject_unless_get(request))
        return *result;
    return apr::guarded(
        [&] {
            return is_metrics ? handle_metrics(request, owner)
                              : handle_health(request, owner, settings(request));
        },
        [&](const char* reason) { return log_failed_request(request, owner, reason); });
}

int add_to_status(request_rec* request, int flags, const module& owner) noexcept {
    return apr::guarded(
        [&] {
            if (std::exchange(apr::find_or_emplace<bool>(request->pool, "useradmin status"), true))
                return DECLINED;
            const std::string lines = status_lines(metrics_text(owner));
            if ((flags & AP_STATUS_SHORT) != 0)
                ap_rputs(lines.c_str(), request);
            else
                ap_rvputs(request, "<hr />\n<h1>User administration</h1>\n<pre>\n",
                          ap_escape_html(request->pool, lines.c_str()), "</pre>\n", nullptr);
            return OK;
        },
        [](const char*) { return DECLINED; });
}

} // namespace useradmin::httpd
