#include "httpd/monitoring.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "httpd/backend.hpp"
#include "httpd/health.hpp"
#include "httpd/methods.hpp"
#include "httpd/prometheus.hpp"
#include "httpd/reply.hpp"
#include "httpd/server_status.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace useradmin::httpd {

namespace {

/// Collects the metrics of all virtual hosts and children.
ServerMetrics metrics_of_server(const module& owner) {
    ServerMetrics metrics;
    const Backend& any = backend_of(ap_server_conf, owner);
    metrics.hash_bounds = ipc::FairSemaphore::capacity(any.slots);
    metrics.hashes_in_use = ipc::FairSemaphore::in_use(any.slots);
    const std::vector<bool> running = any.metrics_registry->running_children();
    for (const server_rec* server = ap_server_conf; server != nullptr; server = server->next) {
        const Backend& backend = backend_of(server, owner);
        // Virtual hosts with the same name and port share metrics.
        const bool is_told =
            std::any_of(metrics.virtual_hosts.begin(), metrics.virtual_hosts.end(),
                        [&](const auto& other) { return other.name == backend.name; });
        if (backend.metrics.is_active() && !is_told)
            metrics.virtual_hosts.push_back({backend.name, backend.metrics.snapshot(running)});
    }
    return metrics;
}

void send_text(request_rec* request, const std::string& text) {
    ap_rwrite(text.data(), static_cast<int>(text.size()), request);
}

int handle_metrics(request_rec* request, const module& owner) {
    const std::string text = prometheus_text(metrics_of_server(owner));
    ap_set_content_type(request, prometheus_type);
    apr_table_setn(request->headers_out, "Cache-Control", "no-store");
    send_text(request, text);
    return OK;
}

/// Returns whether this request is asked about for the first time.
bool is_first_time(request_rec* request) noexcept {
    constexpr const char* key = "useradmin status told";
    void* told = nullptr;
    apr_pool_userdata_get(&told, key, request->pool);
    if (told == nullptr)
        apr_pool_userdata_setn(request, key, apr_pool_cleanup_null, request->pool);
    return told == nullptr;
}

} // namespace

void count_request(const request_rec* first, const Metrics& metrics, std::string_view operation) {
    const request_rec* last = first;
    while (last->next != nullptr)
        last = last->next;
    metrics.count_request(operation_index(operation), last->status,
                          std::chrono::microseconds(apr_time_now() - first->request_time));
}

int handle_monitoring(request_rec* request, const module& owner,
                      SettingsLookup& settings) noexcept {
    const std::string_view handler = apr::view_of(request->handler);
    const bool is_metrics = handler == "useradmin-metrics";
    if (!is_metrics && handler != "useradmin-health")
        return DECLINED;
    forbid_sniffing(request);
    if (const std::optional<int> result = reject_unless_get(request))
        return *result;
    return apr::guarded(
        [&] {
            return is_metrics ? handle_metrics(request, owner)
                              : handle_health(request, owner, settings(request));
        },
        [&](const char* reason) {
            ap_log_rerror(__FILE__, __LINE__, owner.module_index, APLOG_ERR, 0, request,
                          "UA0205: a request failed: %s", reason);
            return HTTP_INTERNAL_SERVER_ERROR;
        });
}

int add_to_status(request_rec* request, int flags, const module& owner) noexcept {
    if (!is_first_time(request))
        return DECLINED;
    return apr::guarded(
        [&] {
            ServerMetrics metrics = metrics_of_server(owner);
            if ((flags & AP_STATUS_SHORT) != 0) {
                send_text(request, status_lines(metrics));
                return OK;
            }
            for (VirtualHostMetrics& host : metrics.virtual_hosts)
                host.name = ap_escape_html(request->pool, host.name.c_str());
            send_text(request, status_section(metrics));
            return OK;
        },
        [](const char*) { return DECLINED; });
}

} // namespace useradmin::httpd
