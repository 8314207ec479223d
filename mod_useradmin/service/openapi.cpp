#include "service/openapi.hpp"

#include "api/openapi.hpp"
#include "apr/pool.hpp"
#include "httpd/headers.hpp"
#include "httpd/reply.hpp"
#include "service/page.hpp"

namespace useradmin::service {

int answer_openapi(request_rec* request) {
    const std::optional<ServiceOfPage> service = service_of_page(request);
    if (!service)
        return HTTP_INTERNAL_SERVER_ERROR;
    message::Reply reply;
    reply.body = api::openapi_document(service->base);
    message::allow_trusted_origin(reply, apr::view_of(request->method),
                                  httpd::RequestHeaders(request),
                                  service->settings.get<httpd::TrustedOrigins>());
    return httpd::send(request, std::move(reply));
}

} // namespace useradmin::service
