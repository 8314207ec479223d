// Error pages below a base address get the envelope (specification, section 2.4).
#pragma once

#include "api/service.hpp"
#include "httpd/httpd.hpp"
#include "httpd/location.hpp"

namespace useradmin::service {

/// Returns the base address that contains the request's path. Returns nullptr if there is none or
/// the service is disabled.
const char* base_of(request_rec* request);

/// Returns the envelope for a failed request below a base address.
http::Reply envelope_of(request_rec* request, const char* base);

/// An output filter that replaces error pages of httpd and other modules with the envelope.
inline constexpr const char* envelope_filter = "USERADMIN_ENVELOPE";
apr_status_t envelope_output_filter(ap_filter_t* filter, apr_bucket_brigade* brigade) noexcept;

} // namespace useradmin::service
