// The body of a request, read within bounds.
#pragma once

#include "http/message.hpp"
#include "httpd/httpd.hpp"
#include "httpd/request_log.hpp"

#include <chrono>
#include <string>

namespace useradmin::httpd {

/// Reads the body of a request when it is asked for. What was read may hold a password: it is wiped
/// when this goes.
class RequestBody final : public http::BodySource {
  public:
    /// The limit is in bytes; a longer body is never read in full. The timeout is the longest that
    /// the whole body may take from when it is asked for.
    RequestBody(request_rec* request, RequestLog& log, long limit,
                std::chrono::seconds timeout) noexcept
        : request_(request), log_(log), limit_(limit), timeout_(timeout) {}
    ~RequestBody() override;
    RequestBody(const RequestBody&) = delete;
    RequestBody& operator=(const RequestBody&) = delete;

    http::Body read() override;

    /// Whether a filter of httpd has answered the request already: the handler returns this status
    /// then.
    bool was_answered() const noexcept { return was_answered_; }
    /// Whether the request has a body of which something is unread: the connection must not be
    /// kept.
    bool has_unread_data() const noexcept;

  private:
    /// Reads the next piece; its result is the status of the body so far.
    http::Body::State append(apr_bucket_brigade* brigade);
    void grow(std::size_t size);
    http::Body failed(apr_status_t status, bool is_late);

    request_rec* request_;
    RequestLog& log_;
    long limit_;
    std::chrono::seconds timeout_;
    std::string text_;
    bool is_read_ = false;
    bool was_answered_ = false;
};

} // namespace useradmin::httpd
