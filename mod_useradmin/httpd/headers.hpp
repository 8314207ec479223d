#pragma once

#include "apr/pool.hpp"
#include "http/message.hpp"
#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Gives access to the request headers that httpd parsed. The request must outlive the object.
class RequestHeaders final : public http::Headers {
  public:
    explicit RequestHeaders(const request_rec* request) noexcept : request_(request) {}

    std::string_view find(const char* name) const noexcept override {
        return apr::view_of(apr_table_get(request_->headers_in, name));
    }
    bool has(const char* name) const noexcept override {
        return apr_table_get(request_->headers_in, name) != nullptr;
    }

  private:
    const request_rec* request_;
};

} // namespace useradmin::httpd
