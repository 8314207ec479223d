// The audit logs of a configuration: UserAdminAuditLog.
#pragma once

#include "audit/recorder.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"

#include <string>

namespace useradmin::httpd {

/// An audit log named in the configuration. Directives with the same name share one.
struct NamedLog;

/// The value of `UserAdminAuditLog file|"|program" [required]`.
struct AuditLog {
    /// nullptr: none.
    const NamedLog* log = nullptr;
    bool is_required = false;
};

const char* read_audit_log(const ConfigLine& line, AuditLog& log);

/// For post_config: opens the configured logs with the privileges that httpd starts with. Logs
/// failures and returns false.
bool open_audit_logs(apr_pool_t* configuration_pool, server_rec* servers, const module& owner);

/// Returns a line for each configured log: "ok", or why its last line could not be written. Call it
/// after open_audit_logs().
std::string audit_log_states(apr_pool_t* configuration_pool);

/// Registers a monitor hook that logs counted refusals about every ten seconds.
void register_audit_log(apr_pool_t* pool) noexcept;

/// Returns where to record events, according to the directive.
audit::Trail trail_of(const AuditLog& log) noexcept;

/// Returns the descriptor of the log's file, open for reading; -1 if there is none, for example for
/// a program.
int file_of(const AuditLog& log) noexcept;

/// Returns the origin of a request's events.
audit::Origin origin_of(const request_rec* request) noexcept;

} // namespace useradmin::httpd
