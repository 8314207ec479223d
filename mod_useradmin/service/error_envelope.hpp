// Responses to errors of httpd and other modules. Below a base address, they have the envelope
// (specification, section 2.4). At an endpoint for better-auth's admin client, they have
// better-auth's format.
#pragma once

#include "api/service.hpp"
#include "httpd/httpd.hpp"
#include "httpd/location.hpp"

#include <optional>
#include <string_view>

namespace useradmin::service {

/// Returns the base address that contains the request's path. Returns nullptr if there is none or
/// the service is disabled.
const char* base_of(request_rec* request);

/// Returns the method that the client sent. When httpd redirects to an ErrorDocument, it changes
/// the method of the failed request to GET.
std::string_view original_method(const request_rec* request) noexcept;

/// Returns the response to a failed request. Returns std::nullopt if the request has not failed or
/// is not for this module.
std::optional<http::Response> error_response(request_rec* request);

/// An output filter that replaces an error page with error_response(). Add it with a context other
/// than nullptr. The filter clears the context at the first brigade.
inline constexpr const char* envelope_filter = "USERADMIN_ENVELOPE";
apr_status_t envelope_output_filter(ap_filter_t* filter, apr_bucket_brigade* brigade) noexcept;

} // namespace useradmin::service
