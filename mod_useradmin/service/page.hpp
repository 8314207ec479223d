// Pages about the service, in Locations of their own: SetHandler useradmin-openapi and the like.
#pragma once

#include "httpd/httpd.hpp"
#include "service/configuration.hpp"

#include <optional>
#include <string_view>

namespace useradmin::service {

/// The service that a page is for.
struct ServiceOfPage {
    /// Its base address, decoded and without a slash at its end; lives as long as the
    /// configuration.
    const char* base;
    /// What the directives of all modules say there, and this module's own; both live as long as
    /// the request.
    ap_conf_vector_t* configuration;
    const ServiceSettings& settings;
};

/// The service at a base address of the virtual host; nothing where a later Location switches it
/// off.
std::optional<ServiceOfPage> service_at(request_rec* request, const char* base);

/// The service whose base address the page's Location lies below, or else the only one of the
/// virtual host. Where there is none or more than one, the log is told what to do.
std::optional<ServiceOfPage> service_of_page(request_rec* request);

/// Says the tag of a page, which has neither blanks nor quotes, and what the request's conditions
/// come to: OK, or the status that they ask for (RFC 9110, section 13). A tag that a compressing
/// filter has marked counts as the one it was.
int evaluate_conditions(request_rec* request, std::string_view tag);

/// Answers a request for a page; DECLINED for every other one.
int handle_page(request_rec* request);

/// Whether the request is for a page.
bool is_for_page(const request_rec* request) noexcept;

} // namespace useradmin::service
