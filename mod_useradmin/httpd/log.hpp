// httpd's error log, as the layers below see it.
#pragma once

#include "httpd/httpd.hpp"
#include "text/log.hpp"

namespace useradmin::httpd {

/// Writes to the error log of a request. httpd escapes what is not printable.
class RequestLog final : public text::Log {
  public:
    /// The module whose LogLevel counts.
    RequestLog(request_rec* request, const module& owner) noexcept
        : request_(request), module_index_(owner.module_index) {}

    void write(text::Level level, std::string_view message) noexcept override {
        write(level, APR_SUCCESS, message);
    }
    /// The same, with what APR said.
    void write(text::Level level, apr_status_t status, std::string_view message) noexcept {
        const int httpd_level = level == text::Level::error     ? APLOG_ERR
                                : level == text::Level::warning ? APLOG_WARNING
                                                                : APLOG_INFO;
        ap_log_rerror(__FILE__, __LINE__, module_index_, httpd_level, status, request_, "%.*s",
                      static_cast<int>(message.size()), message.data());
    }

  private:
    request_rec* request_;
    int module_index_;
};

} // namespace useradmin::httpd
