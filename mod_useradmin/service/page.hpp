// Handlers for pages about a service, such as SetHandler useradmin-openapi. Each page has its own
// Location.
#pragma once

#include "http/message.hpp"
#include "httpd/httpd.hpp"
#include "service/configuration.hpp"

#include <optional>
#include <string_view>

namespace useradmin::service {

// The arguments of SetHandler.
inline constexpr std::string_view console_handler = "useradmin-console";
inline constexpr std::string_view openapi_handler = "useradmin-openapi";

struct ServiceOfPage {
    /// The decoded base address without a trailing slash. Valid for the lifetime of the
    /// configuration.
    const char* base;
    /// The configuration at the base address or, if the page is below it, at the page. Valid for
    /// the lifetime of the request.
    ap_conf_vector_t* configuration;
    const ServiceSettings& settings;
};

/// Returns the service at a base address of the virtual host, or std::nullopt if a later Location
/// disables it.
std::optional<ServiceOfPage> service_at(request_rec* request, const char* base);

/// Returns the service whose Location contains the page or, if there is none, the only service of
/// the virtual host. If there are none or several, logs how to fix this and returns std::nullopt.
std::optional<ServiceOfPage> service_of_page(request_rec* request);

/// Sends a page with an ETag or, depending on the request's conditions, 304 or 412 (RFC 9110,
/// section 13). Returns the handler's result. The tag must not contain spaces or quotes. The suffix
/// that a compression filter adds to the tag is ignored.
int send_if_modified(request_rec* request, http::Response response, std::string_view tag);

/// SetHandler useradmin-console: sends a user administration page for support staff. If the query
/// string is "caller", sends the caller as JSON instead.
int handle_console(request_rec* request);
/// SetHandler useradmin-openapi: sends the OpenAPI document of the service that the page belongs
/// to.
int handle_openapi(request_rec* request);

/// Calls the page's handler and returns its result. Requires is_page_request().
int handle_page(request_rec* request);

/// Returns whether SetHandler selects one of the pages for the request.
bool is_page_request(const request_rec* request) noexcept;

} // namespace useradmin::service
