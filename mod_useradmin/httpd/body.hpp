// The body of a request, read within bounds.
#pragma once

#include "api/service.hpp"
#include "httpd/httpd.hpp"

#include <string>

namespace useradmin::httpd {

/// Reads the body of a request when it is asked for. What was read may hold a password: it is wiped
/// when this goes.
class RequestBody final : public api::BodySource {
  public:
    /// The limit is in bytes. A longer body is never read in full.
    RequestBody(request_rec* request, long limit) noexcept : request_(request), limit_(limit) {}
    ~RequestBody() override;
    RequestBody(const RequestBody&) = delete;
    RequestBody& operator=(const RequestBody&) = delete;

    api::Body read() override;

    /// Whether a filter of httpd has answered the request already: the handler returns this status
    /// then.
    bool was_answered() const noexcept { return was_answered_; }
    /// Whether the request has a body of which something is unread: the connection must not be
    /// kept.
    bool is_left() const noexcept;

  private:
    /// Reads the next piece; its result is the status of the body so far.
    api::Body::State append(apr_bucket_brigade* brigade);
    void grow(std::size_t size);
    api::Body failed(apr_status_t status);

    request_rec* request_;
    long limit_;
    std::string text_;
    bool is_read_ = false;
    bool was_answered_ = false;
};

} // namespace useradmin::httpd
