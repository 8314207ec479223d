// UserAdminExtras: GET /api/users/{id}/events
#include "api/envelope.hpp"
#include "api/operations.hpp"
#include "api/paging.hpp"
#include "api/texts.hpp"
#include "audit/history.hpp"
#include "text/url.hpp"

#include <algorithm>
#include <limits>

namespace useradmin::api {

Response list_events(const Call& call, const Service& service) {
    if (service.audit_log < 0)
        return error(404, texts.no_audit_log);
    const std::string_view query = call.request.query;
    const std::int64_t limit = std::min(positive_number(text::query_parameter(query, "limit"), 20),
                                        service.settings.max_limit);
    constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
    // Do not check that the user exists: deleted users have a history, too.
    const auto history =
        audit::read_history(service.audit_log, call.id,
                            positive_number(text::query_parameter(query, "before"), end, end),
                            static_cast<std::size_t>(limit));
    return history ? events(*history) : error(500, call.operation.failure_text);
}

} // namespace useradmin::api
