#include "service/better_auth.hpp"

#include "admin/service.hpp"
#include "apr/pool.hpp"
#include "service/request_context.hpp"

namespace useradmin::service {

std::string_view better_auth_endpoint(const request_rec* request) noexcept {
    return apr::view_of(request->handler) == "useradmin-better-auth"
               ? admin::find_endpoint(apr::view_of(request->uri))
               : std::string_view();
}

int handle_better_auth(request_rec* request, std::string_view endpoint) {
    RequestContext context(request, false);
    const admin::Service service = {context.store(), context.hasher(), context.rules(),
                                    *context.settings().get<BetterAuthRoles>(),
                                    context.settings().get<ShowsTokens>()};
    return context.send(
        admin::handle_request(endpoint,
                              {request->method, apr::view_of(request->uri),
                               apr::view_of(request->args), context.headers(), context.body()},
                              context.caller(), service, context.backend().event()));
}

} // namespace useradmin::service
