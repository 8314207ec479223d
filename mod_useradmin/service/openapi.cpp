#include "api/openapi.hpp"
#include "api/envelope.hpp"
#include "apr/pool.hpp"
#include "crypto/sha256.hpp"
#include "httpd/auth_information.hpp"
#include "httpd/headers.hpp"
#include "httpd/response.hpp"
#include "service/configuration.hpp"
#include "service/log_module.hpp"
#include "service/page.hpp"

namespace useradmin::service {

namespace {

http::Response document_of(request_rec* request, const ServiceOfPage& service) {
    const ServiceSettings& settings = service.settings;
    httpd::RequestBackend backend(request, useradmin_module, backend_settings(settings));
    const auto columns = backend.store().extra_columns();
    const api::OperationSettings rules = operation_settings(request, service.configuration);
    const httpd::RequestHeaders headers(request);
    const std::string_view method = apr::view_of(request->method);
    if (!columns)
        return api::finish(api::failure_response(columns.failure(), api::texts.openapi_failed),
                           method, headers, rules);
    api::DocumentSettings document_settings = {service.base, rules};
    document_settings.max_body = settings.get<MaxBody>();
    // With UserAdminSession, any header may carry the session, so the document does not name one.
    if (settings.get<SessionExpressions>().id == nullptr)
        document_settings.carriers = httpd::token_settings(service.configuration).carriers;
    document_settings.columns = *columns;
    http::Response response;
    response.body = api::openapi_document(document_settings);
    response.headers.push_back({"Cache-Control", "no-cache"});
    http::add_cors_headers(response, method, headers, rules.trusted_origins);
    return response;
}

http::Response preflight_response(request_rec* request, const ServiceOfPage& service) {
    http::Response response;
    response.status = HTTP_NO_CONTENT;
    response.headers.push_back({"Allow", apr_table_get(request->headers_out, "Allow")});
    http::add_cors_headers(response, "OPTIONS", httpd::RequestHeaders(request),
                           service.settings.get<httpd::TrustedOrigins>());
    return response;
}

} // namespace

int handle_openapi(request_rec* request) {
    const std::optional<int> result = httpd::reject_unless_get(request);
    const bool is_options = request->method_number == M_OPTIONS;
    if (result && !is_options)
        return *result;
    const std::optional<ServiceOfPage> service = service_of_page(request);
    if (!service)
        return HTTP_INTERNAL_SERVER_ERROR;
    if (is_options)
        return httpd::send(request, preflight_response(request, *service));
    http::Response response = document_of(request, *service);
    // The ETag is a digest of the document, so build the document even for a 304. Building it costs
    // less than sending it.
    if (response.status != HTTP_OK)
        return httpd::send(request, std::move(response));
    const std::string tag = crypto::sha256_hex(response.body);
    return send_if_modified(request, std::move(response), tag);
}

} // namespace useradmin::service
