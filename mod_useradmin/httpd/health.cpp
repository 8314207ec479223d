#include "httpd/health.hpp"

#include "apr/pool.hpp"
#include "store/database_store.hpp"
#include "text/printable.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace useradmin::httpd {

namespace {

/// Writes lines to the error log and collects them for the response.
class HealthLog final : public text::Logger {
  public:
    HealthLog(request_rec* request, const module& owner, ipc::LogThrottle& throttle) noexcept
        : log_(request, owner, throttle) {}

    void write(text::Level level, std::string_view message) noexcept override {
        log_.write(level, message);
        keep(message);
    }
    void write_throttled(text::Level level, std::string_view message) noexcept override {
        log_.write_throttled(level, message);
        keep(message);
    }
    const std::string& lines() const noexcept { return lines_; }

  private:
    void keep(std::string_view message) noexcept {
        try {
            // httpd escapes lines in the error log, so escape only the copy for the response.
            (lines_ += text::printable(message)) += '\n';
        } catch (const std::bad_alloc&) {
            lines_.clear(); // already logged
        }
    }

    RequestLog log_;
    std::string lines_;
};

bool is_loopback(apr_sockaddr_t* address, apr_pool_t* pool) noexcept {
    constexpr const char* networks[][2] = {{"127.0.0.0", "8"}, {"::1", "128"}};
    return std::ranges::any_of(networks, [&](const auto& network) {
        apr_ipsubnet_t* subnet = nullptr;
        return apr_ipsubnet_create(&subnet, network[0], network[1], pool) == APR_SUCCESS &&
               apr_ipsubnet_test(subnet, address) != 0;
    });
}

/// Returns whether the client is on this host and not behind a proxy.
bool is_local(const request_rec* request) noexcept {
    for (const char* header : {"Forwarded", "X-Forwarded-For", "Via"})
        if (apr_table_get(request->headers_in, header) != nullptr)
            return false;
    const conn_rec& connection = *request->connection;
    const auto is_own = [&](apr_sockaddr_t* address) {
        return address != nullptr && address->ipaddr_ptr != nullptr &&
               (is_loopback(address, request->pool) ||
                (connection.local_addr != nullptr &&
                 apr_sockaddr_equal(address, connection.local_addr) != 0));
    };
    // mod_remoteip sets useragent_addr from a header, so check both addresses.
    return is_own(request->useragent_addr) && is_own(connection.client_addr);
}

/// Returns the state of the virtual host's secondary storage and of the audit logs, one per line.
std::string states_of(const server_rec* server, const module& owner) {
    std::string lines;
    const auto is_own = [&](const HostDelivery& delivery) { return delivery.host == server; };
    if (const auto deliveries = snapshot_of(*backend_of(server, owner).shared.deliveries, is_own)) {
        lines += std::string("secondary storage: ") +
                 (deliveries->last_result == DeliveryResult::unknown       ? "not contacted yet"
                  : deliveries->last_result == DeliveryResult::unreachable ? "unreachable"
                                                                           : "ok") +
                 '\n';
        const std::int64_t age = apr_time_sec(apr_time_now()) - deliveries->delivered_until;
        lines += "revocations: " +
                 (deliveries->last_result == DeliveryResult::unusable_table
                      ? std::string("not delivered, see UA0222 in the error log")
                      : "all delivered except those of the last " +
                            std::to_string(std::max<std::int64_t>(age, 0)) + " s") +
                 '\n';
    }
    return lines + audit_log_states(ap_server_conf->process->pconf);
}

/// Returns the problems, one per line, or an empty string if the database passed the check.
std::string problem_of(request_rec* request, const module& owner, const BackendSettings& settings) {
    if (std::string problem = database_problem(); !problem.empty())
        return problem + '\n';
    const Backend& backend = backend_of(request->server, owner);
    HealthLog log(request, owner, *backend.log_throttle);
    DatabaseConnections connections(request, log, backend.database, *backend.pool_state,
                                    backend.metrics, settings.timeout, settings.timeout_directive);
    store::DatabaseStore store(
        connections, log, request->pool, settings.tables.names, settings.tables.label,
        store::TimeoutPolicy{.timeout = settings.timeout, .directive = settings.timeout_directive});
    if (settings.health_needs_writes ? store.check_writable() : store.ping())
        return {};
    return log.lines().empty() ? "the error log has the reason\n" : log.lines();
}

} // namespace

int handle_health(request_rec* request, const module& owner, const BackendSettings& settings) {
    const char* const file = settings.drain_file;
    const int error = file == nullptr ? ENOENT : access(file, F_OK) == 0 ? 0 : errno;
    const bool drains = error == 0;
    const std::string problem =
        drains ? text::printable(file) + " exists; run: useradminctl drain off\n"
        : error != ENOENT && error != ENOTDIR
            ? "cannot check whether UserAdminDrainFile " + text::printable(file) +
                  " exists: " + std::generic_category().message(error) + '\n'
            : problem_of(request, owner, settings);
    std::string text = drains ? "draining\n" : problem.empty() ? "ok\n" : "unavailable\n";
    if (is_local(request))
        text += problem + states_of(request->server, owner);
    request->status = problem.empty() ? HTTP_OK : HTTP_SERVICE_UNAVAILABLE;
    ap_set_content_type(request, "text/plain; charset=utf-8");
    apr_table_setn(request->headers_out, "Cache-Control", "no-store");
    ap_rwrite(text.data(), static_cast<int>(text.size()), request);
    return OK;
}

} // namespace useradmin::httpd
