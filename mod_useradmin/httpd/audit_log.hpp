// The audit logs of a configuration: UserAdminAuditLog.
#pragma once

#include "audit/recorder.hpp"
#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// A log that a line of the configuration names; the same one where several do.
struct NamedLog;

/// `UserAdminAuditLog file|"|program" [required]`, or none.
struct AuditLog {
    /// nullptr: none.
    const NamedLog* log = nullptr;
    bool is_required = false;
};

const char* read_audit_log(const ConfigLine& line, AuditLog& log);

/// In post_config: opens the logs that the configuration names, with the rights that httpd starts
/// with. False where one cannot be opened, which is logged.
bool open_audit_logs(apr_pool_t* configuration_pool, server_rec* servers, const module& owner);

/// Writes what was counted without a line, every ten seconds or so.
void register_audit_log(apr_pool_t* pool) noexcept;

/// Where the events of requests are taken down that the directive counts for.
audit::Trail trail_of(const AuditLog& log) noexcept;

/// Where the event of a request comes from.
audit::Origin origin_of(const request_rec* request) noexcept;

} // namespace useradmin::httpd
