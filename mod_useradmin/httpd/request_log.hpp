// Writes to httpd's error log.
#pragma once

#include "httpd/httpd.hpp"
#include "ipc/log_throttle.hpp"
#include "text/logger.hpp"

#include <apr_strings.h>

namespace useradmin::httpd {

inline int httpd_level(text::Level level) noexcept {
    return level == text::Level::error     ? APLOG_ERR
           : level == text::Level::warning ? APLOG_WARNING
                                           : APLOG_INFO;
}

/// Returns the tag of a message, such as UA0107.
inline std::string_view tag_of(std::string_view message) noexcept {
    return message.substr(0, message.find(':'));
}

/// Logs that a handler has thrown an exception. Returns the handler's result.
inline int log_failed_request(const request_rec* request, const module& owner,
                              const char* reason) noexcept {
    ap_log_rerror(__FILE__, __LINE__, owner.module_index, APLOG_ERR, APR_SUCCESS, request,
                  "UA0205: internal error: %s", reason);
    return HTTP_INTERNAL_SERVER_ERROR;
}

/// Writes to the error log of a request. httpd escapes unprintable bytes.
class RequestLog final : public text::Logger {
  public:
    /// owner: the module whose LogLevel applies.
    RequestLog(request_rec* request, const module& owner, ipc::LogThrottle& throttle) noexcept
        : request_(request), module_index_(owner.module_index), throttle_(throttle) {}

    void write(text::Level level, std::string_view message) noexcept override {
        write(level, APR_SUCCESS, message);
    }
    /// Also logs the APR status.
    void write(text::Level level, apr_status_t status, std::string_view message) noexcept {
        write_at(httpd_level(level), status, message);
    }
    /// Writes at most one line a minute per tag. With LogLevel debug, also writes the other lines.
    void write_throttled(text::Level level, std::string_view message) noexcept override {
        write_for_client(level, message, {});
    }
    /// Writes at most 20 lines a minute per tag and network. With LogLevel debug, also writes the
    /// other lines.
    void write_for_client(text::Level level, std::string_view message,
                          std::string_view network) noexcept override {
        const std::uint64_t times =
            throttle_.count(tag_of(message), network, ipc::LogThrottle::Clock::now());
        write_counted(times != 0 ? httpd_level(level) : APLOG_DEBUG, message, "", times);
    }
    /// Logs why a request was rejected, at `level` and with the advice, at most once a minute per
    /// reason, level and virtual host. Further rejections in that minute are logged without the
    /// advice: at level debug or, if a network is given, at level info through write_for_client().
    /// The reason and the advice must not contain data from the request.
    void write_rejection(text::Level level, std::string_view reason, const char* advice,
                         std::string_view network = {}) noexcept {
        // The server_rec has the same address in all children, so the address identifies the
        // virtual host.
        const char* const host_and_level =
            apr_psprintf(request_->pool, "%pp %d", request_->server, httpd_level(level));
        const std::uint64_t times =
            throttle_.count(reason, host_and_level, ipc::LogThrottle::Clock::now(), 1);
        if (times != 0)
            write_counted(httpd_level(level), reason, advice, times);
        else if (network.empty())
            write_counted(APLOG_DEBUG, reason, "", times);
        else
            write_for_client(text::Level::info, reason, network);
    }

  private:
    void write_counted(int level, std::string_view message, const char* advice,
                       std::uint64_t times) const noexcept {
        const char* const count =
            times > 1
                ? apr_psprintf(request_->pool,
                               " (%" APR_UINT64_T_FMT " times since the last such line)", times)
                : "";
        write_at(level, APR_SUCCESS, message, advice, count);
    }
    void write_at(int level, apr_status_t status, std::string_view message, const char* advice = "",
                  const char* count = "") const noexcept {
        ap_log_rerror(__FILE__, __LINE__, module_index_, level, status, request_, "%.*s%s%s%s",
                      static_cast<int>(message.size()), message.data(), *advice != '\0' ? "; " : "",
                      advice, count);
    }

    request_rec* request_;
    int module_index_;
    ipc::LogThrottle& throttle_;
};

/// Writes to the error log of a server.
class ServerLog final : public text::Logger {
  public:
    /// owner: the module whose LogLevel applies.
    ServerLog(const server_rec* server, const module& owner, ipc::LogThrottle& throttle) noexcept
        : server_(server), module_index_(owner.module_index), throttle_(throttle) {}

    void write(text::Level level, std::string_view message) noexcept override {
        write_at(httpd_level(level), message);
    }
    void write_throttled(text::Level level, std::string_view message) noexcept override {
        const bool is_due =
            throttle_.count(tag_of(message), {}, ipc::LogThrottle::Clock::now()) != 0;
        write_at(is_due ? httpd_level(level) : APLOG_DEBUG, message);
    }

  private:
    void write_at(int level, std::string_view message) const noexcept {
        ap_log_error(__FILE__, __LINE__, module_index_, level, APR_SUCCESS, server_, "%.*s",
                     static_cast<int>(message.size()), message.data());
    }

    const server_rec* server_;
    int module_index_;
    ipc::LogThrottle& throttle_;
};

} // namespace useradmin::httpd
