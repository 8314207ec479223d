// A bound on the time that a body as a whole may take to arrive.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Registers the filter that keeps the bound, and puts it before every connection; the same for
/// both modules.
void register_body_timeout(apr_pool_t* pool) noexcept;

/// Bounds what is read from a connection from now on, until this goes. A client that sends slowly
/// does not move the bound, nor does one that sends nothing.
class BodyTimeout {
  public:
    BodyTimeout(const conn_rec* connection, apr_interval_time_t timeout) noexcept;
    ~BodyTimeout();
    BodyTimeout(const BodyTimeout&) = delete;
    BodyTimeout& operator=(const BodyTimeout&) = delete;

    bool is_expired() const noexcept { return apr_time_now() >= deadline_; }

  private:
    apr_time_t deadline_;
    /// Where the connection's filter looks; nullptr where it has none.
    apr_time_t* filter_deadline_;
};

} // namespace useradmin::httpd
