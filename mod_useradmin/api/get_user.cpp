// 4.3 Get user: GET /api/users/{id}
#include "api/columns.hpp"
#include "api/envelope.hpp"
#include "api/operations.hpp"
#include "api/texts.hpp"
#include "text/unicode.hpp"

namespace useradmin::api {

Reply get_user(const Call& call, const Service& service) {
    // Check 1: requires a session.
    if (!call.caller)
        return error(401, texts.no_session);
    // Check 2: requires admin or superAdmin, unless callers read their own record.
    if (!may_get(*call.caller, call.id))
        return error(403, texts.get_forbidden);
    // Check 3: the user must exist. An id with invalid UTF-8 or U+0000 matches no user.
    if (!text::is_clean_utf8(call.id))
        return error(404, texts.not_found);
    const std::vector<std::string_view> columns = requested_columns(call, service.settings);
    auto user = service.store.find(call.id, columns.empty() ? store::UserColumns::known
                                                            : store::UserColumns::all);
    if (!user)
        return failure_reply(user.failure(), texts.get_failed);
    if (service.settings.has_extras)
        if (const auto read = service.store.read_last_activity({&*user, 1}); !read)
            return failure_reply(read.failure(), texts.get_failed);
    return record(*user, columns);
}

} // namespace useradmin::api
