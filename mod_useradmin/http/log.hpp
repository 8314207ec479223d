// httpd's error log, as the layers below see it.
#pragma once

#include "http/httpd.hpp"
#include "store/connection.hpp"

namespace useradmin::http {

/// Writes to the error log of a request. httpd escapes what is not printable.
class RequestLog final : public store::Log {
  public:
    /// The module whose LogLevel counts.
    RequestLog(request_rec* request, const module& owner) noexcept
        : request_(request), module_index_(owner.module_index) {}

    void error(std::string_view message) noexcept override { write(APLOG_ERR, message); }
    void write(int level, std::string_view message) noexcept {
        ap_log_rerror(nullptr, 0, module_index_, level, 0, request_, "%.*s",
                      static_cast<int>(message.size()), message.data());
    }

  private:
    request_rec* request_;
    int module_index_;
};

} // namespace useradmin::http
