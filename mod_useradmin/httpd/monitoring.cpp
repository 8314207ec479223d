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

/// What there is to tell of the server, all its virtual hosts and children together.
ServerFigures figures_of_server(const module& owner) {
    ServerFigures figures;
    const Backend& any = backend_of(ap_server_conf, owner);
    figures.hash_bounds = ipc::FairSemaphore::capacity(any.slots);
    figures.hashes_in_use = ipc::FairSemaphore::in_use(any.slots);
    const std::vector<bool> running = any.figure_book->running_children();
    for (const server_rec* server = ap_server_conf; server != nullptr; server = server->next) {
        const Backend& backend = backend_of(server, owner);
        // Virtual hosts of one name and port share their figures.
        const bool is_told =
            std::any_of(figures.virtual_hosts.begin(), figures.virtual_hosts.end(),
                        [&](const auto& other) { return other.name == backend.name; });
        if (backend.figures.are_begun() && !is_told)
            figures.virtual_hosts.push_back({backend.name, backend.figures.sums(running)});
    }
    return figures;
}

void send_text(request_rec* request, const std::string& text) {
    ap_rwrite(text.data(), static_cast<int>(text.size()), request);
}

int answer_metrics(request_rec* request, const module& owner) {
    const std::string text = prometheus_text(figures_of_server(owner));
    ap_set_content_type(request, prometheus_type);
    apr_table_setn(request->headers_out, "Cache-Control", "no-store");
    send_text(request, text);
    return OK;
}

/// Whether this is the first time that a request is asked about.
bool is_first_time(request_rec* request) noexcept {
    constexpr const char* key = "useradmin status told";
    void* told = nullptr;
    apr_pool_userdata_get(&told, key, request->pool);
    if (told == nullptr)
        apr_pool_userdata_setn(request, key, apr_pool_cleanup_null, request->pool);
    return told == nullptr;
}

} // namespace

void count_request(const request_rec* first, const Figures& figures, std::string_view operation) {
    const request_rec* last = first;
    while (last->next != nullptr)
        last = last->next;
    figures.count_request(operation_index(operation), last->status,
                          std::chrono::microseconds(apr_time_now() - first->request_time));
}

int answer_operator(request_rec* request, const module& owner, FindSettings& settings) noexcept {
    const std::string_view handler = apr::view_of(request->handler);
    const bool is_metrics = handler == "useradmin-metrics";
    if (!is_metrics && handler != "useradmin-health")
        return DECLINED;
    forbid_sniffing(request);
    if (const std::optional<int> result = result_unless_reading(request))
        return *result;
    return apr::guarded(
        [&] {
            return is_metrics ? answer_metrics(request, owner)
                              : answer_health(request, owner, settings(request));
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
            ServerFigures figures = figures_of_server(owner);
            if ((flags & AP_STATUS_SHORT) != 0) {
                send_text(request, status_lines(figures));
                return OK;
            }
            for (VirtualHostFigures& host : figures.virtual_hosts)
                host.name = ap_escape_html(request->pool, host.name.c_str());
            send_text(request, status_section(figures));
            return OK;
        },
        [](const char*) { return DECLINED; });
}

} // namespace useradmin::httpd
