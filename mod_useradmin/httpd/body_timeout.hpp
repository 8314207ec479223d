#pragma once

#include "httpd/httpd.hpp"
#include "store/time_budget.hpp"

namespace useradmin::httpd {

/// Registers the input filter and adds it to every connection. Both modules may call this function.
void register_body_timeout() noexcept;

/// Sets a deadline for reads from a connection until the object is destroyed. Incoming data does
/// not extend it.
class BodyTimeout {
  public:
    BodyTimeout(const conn_rec* connection, std::chrono::seconds timeout) noexcept;
    ~BodyTimeout();
    BodyTimeout(const BodyTimeout&) = delete;
    BodyTimeout& operator=(const BodyTimeout&) = delete;

    bool is_expired() const noexcept { return store::Clock::now() >= deadline_; }

  private:
    store::Deadline deadline_;
    /// The deadline that the filter reads, or nullptr if the connection has no filter.
    store::Deadline* filter_deadline_;
};

} // namespace useradmin::httpd
