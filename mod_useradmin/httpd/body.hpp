// Reads a request body with limits on size and time.
#pragma once

#include "http/message.hpp"
#include "httpd/httpd.hpp"
#include "httpd/request_log.hpp"

#include <chrono>
#include <string>

namespace useradmin::httpd {

/// Reads a request's body on demand. The destructor wipes the body, because it may contain a
/// password.
class RequestBody final : public http::BodySource {
  public:
    /// limit: the maximum size in bytes. timeout: the time for the whole body, from the call to
    /// read().
    RequestBody(request_rec* request, RequestLog& log, long limit,
                std::chrono::seconds timeout) noexcept
        : request_(request), log_(log), limit_(limit), timeout_(timeout) {}
    ~RequestBody() override;
    RequestBody(const RequestBody&) = delete;
    RequestBody& operator=(const RequestBody&) = delete;

    http::Body read() override;

    /// Returns whether an httpd filter has sent a response. If so, the handler must return
    /// AP_FILTER_ERROR.
    bool has_sent_response() const noexcept { return has_sent_response_; }
    /// Returns whether part of the body is unread. If so, the connection must be closed.
    bool has_unread_data() const noexcept;

  private:
    /// Appends the brigade's data to the body. Returns 0, or the status of the response if this
    /// fails.
    int append(apr_bucket_brigade* brigade);
    http::Body failure(apr_status_t status, bool has_timed_out);

    request_rec* request_;
    RequestLog& log_;
    long limit_;
    std::chrono::seconds timeout_;
    std::string text_;
    bool is_read_ = false;
    bool has_sent_response_ = false;
};

} // namespace useradmin::httpd
