// Pages about a service, in their own Locations: SetHandler useradmin-openapi and others.
#pragma once

#include "httpd/httpd.hpp"
#include "service/configuration.hpp"

#include <optional>
#include <string_view>

namespace useradmin::service {

struct ServiceOfPage {
    /// The decoded base address without a trailing slash, valid for the lifetime of the
    /// configuration.
    const char* base;
    /// The directives of all modules for the service, valid for the lifetime of the request.
    ap_conf_vector_t* configuration;
    const ServiceSettings& settings;
};

/// Returns the service at a base address of the virtual host, or nothing if a later Location
/// disables it.
std::optional<ServiceOfPage> service_at(request_rec* request, const char* base);

/// Returns the service whose base address contains the page's Location, or else the only service of
/// the virtual host. If there is none or more than one, logs how to fix this.
std::optional<ServiceOfPage> service_of_page(request_rec* request);

/// Sets the entity tag of a page and evaluates the request's conditions (RFC 9110, section 13).
/// Returns OK or the status that the conditions require. The tag must not contain blanks or quotes.
/// Ignores the suffix that a compression filter adds to the tag.
int evaluate_conditions(request_rec* request, std::string_view tag);

/// Replies to a request for a page. Returns DECLINED for other requests.
int handle_page(request_rec* request);

bool is_for_page(const request_rec* request) noexcept;

} // namespace useradmin::service
