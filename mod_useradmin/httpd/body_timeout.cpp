#include "httpd/body_timeout.hpp"

#include "apr/pool.hpp"

#include <apr_poll.h>
#include <http_connection.h>

#include <algorithm>

namespace useradmin::httpd {

namespace {

constexpr const char* filter_name = "USERADMIN_BODY_TIMEOUT";
/// The key of a connection's read deadline in its pool.
constexpr const char* key = "useradmin body timeout 1";
/// The interval for polling an HTTP/2 stream.
constexpr std::chrono::milliseconds stream_pause(10);
/// The maximum time between reads from the filters below. mod_reqtimeout reports its own timeout
/// only during a read.
constexpr std::chrono::seconds max_pause(1);

store::Deadline* deadline_of(const conn_rec* connection) noexcept {
    void* deadline = nullptr;
    apr_pool_userdata_get(&deadline, key, connection->pool);
    return static_cast<store::Deadline*>(deadline);
}

/// Waits until the connection may be readable or the time is up.
void wait_for_input(conn_rec* connection, std::chrono::microseconds time) noexcept {
    // Another thread owns the socket of an HTTP/2 stream.
    if (connection->master != nullptr) {
        apr_sleep(std::min<std::chrono::microseconds>(time, stream_pause).count());
        return;
    }
    apr_pollfd_t socket = {};
    socket.p = connection->pool;
    socket.desc_type = APR_POLL_SOCKET;
    socket.reqevents = APR_POLLIN | APR_POLLHUP;
    socket.desc.s = ap_get_conn_socket(connection);
    apr_int32_t count = 0;
    apr_poll(&socket, 1, &count, time.count());
}

/// An input filter. While a deadline is set, it replaces a blocking read with non-blocking reads. A
/// blocking read of a line or of a chunk size restarts its timeout at each byte.
apr_status_t read_in_time(ap_filter_t* filter, apr_bucket_brigade* brigade, ap_input_mode_t mode,
                          apr_read_type_e block, apr_off_t size) noexcept {
    const store::Deadline deadline = *static_cast<const store::Deadline*>(filter->ctx);
    if (deadline == store::no_deadline)
        return ap_get_brigade(filter->next, brigade, mode, block, size);
    const auto idle_until =
        store::Clock::now() + std::chrono::microseconds(filter->c->base_server->timeout);
    while (true) {
        const apr_status_t status =
            ap_get_brigade(filter->next, brigade, mode, APR_NONBLOCK_READ, size);
        const bool is_waiting = status == APR_SUCCESS || APR_STATUS_IS_EAGAIN(status);
        if (!is_waiting || block == APR_NONBLOCK_READ)
            return status;
        if (!APR_BRIGADE_EMPTY(brigade))
            return APR_SUCCESS;
        const auto left = std::chrono::ceil<std::chrono::microseconds>(
            std::min(deadline, idle_until) - store::Clock::now());
        if (left.count() <= 0)
            return APR_TIMEUP;
        wait_for_input(filter->c, std::min<std::chrono::microseconds>(left, max_pause));
    }
}

int add_filter(conn_rec* connection, void*) noexcept {
    if (deadline_of(connection) != nullptr)
        return OK;
    auto& deadline = apr::emplace<store::Deadline>(connection->pool, store::no_deadline);
    apr_pool_userdata_setn(&deadline, key, apr_pool_cleanup_null, connection->pool);
    ap_add_input_filter(filter_name, &deadline, nullptr, connection);
    return OK;
}

} // namespace

void register_body_timeout() noexcept {
    // Run below TLS and above mod_reqtimeout, so mod_reqtimeout's own wait for a line is not used.
    ap_register_input_filter(filter_name, read_in_time, nullptr,
                             static_cast<ap_filter_type>(AP_FTYPE_CONNECTION + 7));
    ap_hook_pre_connection(add_filter, nullptr, nullptr, APR_HOOK_MIDDLE);
}

BodyTimeout::BodyTimeout(const conn_rec* connection, std::chrono::seconds timeout) noexcept
    : deadline_(store::Clock::now() + timeout), filter_deadline_(deadline_of(connection)) {
    if (filter_deadline_ != nullptr)
        *filter_deadline_ = deadline_;
}

BodyTimeout::~BodyTimeout() {
    if (filter_deadline_ != nullptr)
        *filter_deadline_ = store::no_deadline;
}

} // namespace useradmin::httpd
