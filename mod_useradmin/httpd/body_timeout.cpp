#include "httpd/body_timeout.hpp"

#include "apr/pool.hpp"

#include <apr_poll.h>
#include <http_connection.h>

#include <algorithm>

namespace useradmin::httpd {

namespace {

constexpr const char* filter_name = "USERADMIN_BODY_TIMEOUT";
/// The key under which a connection stores its read deadline. A deadline of 0 means that there is
/// none.
constexpr const char* key = "useradmin body timeout 1";
/// The interval for polling an HTTP/2 stream, in microseconds.
constexpr apr_interval_time_t stream_pause = 10000;
/// The maximum time between reads from the filters below. mod_reqtimeout reports its own timeout
/// only during a read.
constexpr apr_interval_time_t max_pause = apr_time_from_sec(1);

apr_time_t* deadline_of(const conn_rec* connection) noexcept {
    void* deadline = nullptr;
    apr_pool_userdata_get(&deadline, key, connection->pool);
    return static_cast<apr_time_t*>(deadline);
}

/// Waits until the connection may be readable or the time is up.
void wait_for_input(conn_rec* connection, apr_interval_time_t time) noexcept {
    // Another thread owns the socket of an HTTP/2 stream.
    if (connection->master != nullptr) {
        apr_sleep(std::min(time, stream_pause));
        return;
    }
    apr_pollfd_t socket = {};
    socket.p = connection->pool;
    socket.desc_type = APR_POLL_SOCKET;
    socket.reqevents = APR_POLLIN | APR_POLLHUP;
    socket.desc.s = ap_get_conn_socket(connection);
    apr_int32_t count = 0;
    apr_poll(&socket, 1, &count, time);
}

/// An input filter. While a deadline is set, it replaces a blocking read with non-blocking reads. A
/// blocking read of a line or of a chunk size restarts its timeout at each byte.
apr_status_t read_in_time(ap_filter_t* filter, apr_bucket_brigade* brigade, ap_input_mode_t mode,
                          apr_read_type_e block, apr_off_t size) noexcept {
    const apr_time_t deadline = *static_cast<const apr_time_t*>(filter->ctx);
    if (deadline == 0)
        return ap_get_brigade(filter->next, brigade, mode, block, size);
    apr_interval_time_t idle_timeout = filter->c->base_server->timeout;
    const apr_time_t idle_since = apr_time_now();
    while (true) {
        const apr_status_t status =
            ap_get_brigade(filter->next, brigade, mode, APR_NONBLOCK_READ, size);
        const bool is_waiting = status == APR_SUCCESS || APR_STATUS_IS_EAGAIN(status);
        if (!is_waiting || block == APR_NONBLOCK_READ)
            return status;
        if (!APR_BRIGADE_EMPTY(brigade))
            return APR_SUCCESS;
        const apr_time_t now = apr_time_now();
        const apr_interval_time_t left = std::min(deadline - now, idle_since + idle_timeout - now);
        if (left <= 0)
            return APR_TIMEUP;
        wait_for_input(filter->c, std::min(left, max_pause));
    }
}

int add_filter(conn_rec* connection, void*) noexcept {
    if (deadline_of(connection) != nullptr)
        return OK;
    apr_time_t& deadline = apr::emplace<apr_time_t>(connection->pool, 0);
    apr_pool_userdata_setn(&deadline, key, apr_pool_cleanup_null, connection->pool);
    ap_add_input_filter(filter_name, &deadline, nullptr, connection);
    return OK;
}

} // namespace

void register_body_timeout(apr_pool_t*) noexcept {
    // Run below TLS and above mod_reqtimeout, so mod_reqtimeout's own wait for a line is not used.
    ap_register_input_filter(filter_name, read_in_time, nullptr,
                             static_cast<ap_filter_type>(AP_FTYPE_CONNECTION + 7));
    ap_hook_pre_connection(add_filter, nullptr, nullptr, APR_HOOK_MIDDLE);
}

BodyTimeout::BodyTimeout(const conn_rec* connection, apr_interval_time_t timeout) noexcept
    : deadline_(apr_time_now() + timeout), filter_deadline_(deadline_of(connection)) {
    if (filter_deadline_ != nullptr)
        *filter_deadline_ = deadline_;
}

BodyTimeout::~BodyTimeout() {
    if (filter_deadline_ != nullptr)
        *filter_deadline_ = 0;
}

} // namespace useradmin::httpd
