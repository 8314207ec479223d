#include "service/page.hpp"

#include "apr/pool.hpp"
#include "http/entity_tags.hpp"
#include "httpd/location.hpp"
#include "httpd/response.hpp"
#include "service/log_module.hpp"

#include <string>
#include <utility>

namespace useradmin::service {

namespace {

ServiceOfPage service_in(ap_conf_vector_t* configuration) noexcept {
    const ServiceSettings& settings = settings_of(configuration);
    return {settings.get<ServiceBase>().path, configuration, settings};
}

std::string without_compression_suffixes(std::string tags) {
    for (const std::string_view mark : http::compression_suffixes) {
        const std::string end = std::string(mark) + '"';
        for (std::size_t at = tags.find(end); at != tags.npos; at = tags.find(end))
            tags.erase(at, mark.size());
    }
    return tags;
}

/// Sets the ETag of a page and evaluates the request's conditions. Returns OK or the HTTP status to
/// send.
int evaluate_conditions(request_rec* request, std::string_view tag) {
    apr_table_setn(request->headers_out, "ETag",
                   apr::copy_c_string(request->pool, http::make_strong_tag(tag)));
    // A page has no modification date (RFC 9110, sections 13.1.3 and 13.1.4).
    apr_table_unset(request->headers_in, "If-Modified-Since");
    apr_table_unset(request->headers_in, "If-Unmodified-Since");
    const std::string_view known =
        apr::view_of(apr_table_get(request->headers_in, "If-None-Match"));
    for (const char* const name : {"If-Match", "If-None-Match"})
        if (const char* const list = apr_table_get(request->headers_in, name))
            apr_table_setn(request->headers_in, name,
                           apr::copy_c_string(request->pool, without_compression_suffixes(list)));
    const int status = ap_meets_conditions(request);
    if (status != HTTP_NOT_MODIFIED)
        return status;
    // Unlike mod_brotli, mod_deflate adds no suffix to the ETag of a 304.
    if (const std::string compressed = http::make_strong_tag(std::string(tag) + "-gzip");
        known.find(compressed) != known.npos)
        apr_table_setn(request->headers_out, "ETag", apr::copy_c_string(request->pool, compressed));
    return status;
}

} // namespace

std::optional<ServiceOfPage> service_at(request_rec* request, const char* base) {
    const ServiceOfPage service = service_in(httpd::configuration_for_path(request, base));
    return service.settings.get<ServiceBase>().is_on && apr::view_of(service.base) == base
               ? std::optional(service)
               : std::nullopt;
}

std::optional<ServiceOfPage> service_of_page(request_rec* request) {
    const ServiceOfPage around = service_in(request->per_dir_config);
    if (around.settings.get<ServiceBase>().is_on)
        return around;
    std::optional<ServiceOfPage> only;
    const char* const problem = [&] {
        for (const char* const base : bases_of(request->server)) {
            if (only && apr::view_of(only->base) == base)
                continue;
            const std::optional<ServiceOfPage> service = service_at(request, base);
            if (service && only)
                return "several Locations with UserAdmin On; change the path of this Location to a "
                       "path below one of them";
            if (service)
                only.emplace(*service);
        }
        return only ? nullptr : "no Location with UserAdmin On; add one";
    }();
    if (problem == nullptr)
        return only;
    ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, request,
                  "UA0217: %s: this virtual host has %s, for example "
                  "<Location \"%s\">",
                  request->handler, problem,
                  only ? apr_pstrcat(request->pool, only->base, "/page", nullptr) : "/api/users");
    return std::nullopt;
}

int send_if_modified(request_rec* request, http::Response response, std::string_view tag) {
    const int status = evaluate_conditions(request, tag);
    if (status == HTTP_NOT_MODIFIED) {
        // If the handler returned 304, httpd would send it without the filter of mod_cache.
        response.status = status;
        response.body.clear();
    } else if (status != OK) {
        return status;
    }
    return httpd::send(request, std::move(response));
}

int handle_page(request_rec* request) {
    httpd::set_nosniff(request);
    return apr::view_of(request->handler) == console_handler ? handle_console(request)
                                                             : handle_openapi(request);
}

bool is_page_request(const request_rec* request) noexcept {
    const std::string_view handler = apr::view_of(request->handler);
    return handler == console_handler || handler == openapi_handler;
}

} // namespace useradmin::service
