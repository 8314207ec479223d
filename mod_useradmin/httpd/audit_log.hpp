// Audit logs (UserAdminAuditLog).
#pragma once

#include "audit/recorder.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"

#include <string>

namespace useradmin::httpd {

/// An audit log from the configuration. Directives that name the same file or program share one
/// object.
struct NamedLog;

/// The value of `UserAdminAuditLog file|"|program" [required]`.
struct AuditLogSetting {
    /// nullptr if there is no audit log.
    const NamedLog* log = nullptr;
    bool is_required = false;
};

const char* read_audit_log(const ConfigLine& line, AuditLogSetting& log);

/// Call from post_config. Opens the configured logs with the privileges of the parent process. On
/// failure, logs the error and returns false.
bool open_audit_logs(apr_pool_t* configuration_pool, server_rec* servers, const module& owner);

/// Returns one line per open log: its name, and "ok" or why the last line could not be written.
/// Call after open_audit_logs().
std::string audit_log_states(apr_pool_t* configuration_pool);

/// Returns the trail for an audit::Recorder. Its log is nullptr if none is configured.
audit::Trail trail_of(const AuditLogSetting& log) noexcept;

/// Returns a readable descriptor of the log file, or -1 if there is no file, for example because
/// the log is a program.
int descriptor_of(const AuditLogSetting& log) noexcept;

/// Returns the virtual host, client address, UNIQUE_ID and traceparent of a request.
audit::Origin origin_of(const request_rec* request) noexcept;

} // namespace useradmin::httpd
