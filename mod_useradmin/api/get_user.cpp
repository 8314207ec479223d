// 4.3 Get user: GET /api/users/{id}
#include "api/columns.hpp"
#include "api/envelope.hpp"
#include "api/operations.hpp"

namespace useradmin::api {

Response get_user(const Call& call, const Service& service) {
    // dispatch() performs checks 1 (session) and 2 (role).
    // Check 3: the user must exist.
    const std::vector<std::string_view> columns = requested_columns(call, service.settings);
    auto user = service.store.find(call.id, columns.empty() ? store::UserColumns::known
                                                            : store::UserColumns::all);
    if (!user)
        return failure_response(user.failure(), call.operation);
    if (service.settings.has_extras)
        if (const auto read = service.store.read_last_activity({&*user, 1}); !read)
            return failure_response(read.failure(), call.operation);
    return record(*user, columns);
}

} // namespace useradmin::api
