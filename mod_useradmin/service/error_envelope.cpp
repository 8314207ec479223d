#include "service/error_envelope.hpp"

#include "apr/guard.hpp"
#include "apr/pool.hpp"
#include "httpd/headers.hpp"
#include "httpd/location.hpp"
#include "httpd/response.hpp"
#include "service/better_auth.hpp"
#include "service/configuration.hpp"
#include "service/page.hpp"

#include <utility>

namespace useradmin::service {

namespace {

/// Returns the configuration for the request's path, even if httpd rejected the request before the
/// location walk or, if the request is malformed, without a path.
const ap_conf_vector_t* configuration_for(request_rec* request, const char* base) noexcept {
    // Unlike configuration_for_path(), per_dir_config includes <If> sections.
    if (settings_of(request).get<ServiceBase>().is_on)
        return request->per_dir_config;
    return httpd::configuration_for_path(request, request->uri != nullptr ? request->uri : base);
}

/// Returns std::nullopt if the path belongs to another handler or the status is not an error.
std::optional<http::Response> find_error_response(request_rec* request) {
    // Other statuses, such as 301, keep httpd's page.
    if (!ap_is_HTTP_ERROR(request->status))
        return std::nullopt;
    const std::string_view method = original_method(request);
    const httpd::RequestHeaders headers(request);
    const admin::Endpoint* const endpoint = better_auth_endpoint(request);
    if (endpoint != nullptr && is_handled(request, *endpoint))
        return admin::error_response(request->status, method, headers,
                                     settings_of(request).get<httpd::TrustedOrigins>());
    const char* const base = base_of(request);
    if (base == nullptr)
        return std::nullopt;
    return api::error_response(request->status, method, httpd::path_below(request, base), headers,
                               operation_settings(request, configuration_for(request, base)));
}

} // namespace

const char* base_of(request_rec* request) {
    const std::string_view path = apr::view_of(request->uri);
    for (const char* const base : bases_of(request->server))
        // A Location below the base address may disable the service.
        if (httpd::is_at_or_below(path, base) && service_at(request, base) &&
            settings_of(configuration_for(request, base)).get<ServiceBase>().is_on)
            return base;
    return nullptr;
}

std::string_view original_method(const request_rec* request) noexcept {
    const char* const original = apr_table_get(request->subprocess_env, "REQUEST_METHOD");
    return apr::view_of(original != nullptr ? original : request->method);
}

std::optional<http::Response> error_response(request_rec* request) {
    std::optional<http::Response> response = find_error_response(request);
    // The module that rejected the request may have set a better value.
    for (const apr_table_t* const headers : {request->headers_out, request->err_headers_out})
        if (response && apr_table_get(headers, "Retry-After") != nullptr)
            std::erase_if(response->headers, [](const auto& header) {
                return std::string_view(header.name) == "Retry-After";
            });
    return response;
}

apr_status_t envelope_output_filter(ap_filter_t* filter, apr_bucket_brigade* brigade) noexcept {
    request_rec* request = filter->r;
    return apr::guarded(
        [&] {
            // The response replaces the whole error page. Discard all later brigades.
            if (std::exchange(filter->ctx, nullptr) == nullptr)
                return apr_brigade_cleanup(brigade);
            std::optional<http::Response> response = error_response(request);
            if (response) {
                apr_brigade_cleanup(brigade);
                apr_table_unset(request->headers_out, "Content-Length");
                httpd::write_to_brigade(request, *std::move(response), brigade);
            } else {
                ap_remove_output_filter(filter);
            }
            return ap_pass_brigade(filter->next, brigade);
        },
        [](const char*) -> apr_status_t { return APR_EGENERAL; });
}

} // namespace useradmin::service
