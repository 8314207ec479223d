// The envelope around the errors of others.
#pragma once

#include "api/service.hpp"
#include "httpd/httpd.hpp"
#include "httpd/location.hpp"

namespace useradmin::service {

/// The base address of its server that the request's address lies below; nullptr where there is
/// none, or the service is off there.
const char* base_of(request_rec* request);

/// The envelope for the error that a request below a base address ended with.
http::Reply envelope_of(request_rec* request, const char* base);

/// The name and the function of the output filter that puts the envelope into an error response
/// that httpd or another module makes.
inline constexpr const char* envelope_filter = "USERADMIN_ENVELOPE";
apr_status_t envelope_output_filter(ap_filter_t* filter, apr_bucket_brigade* brigade) noexcept;

} // namespace useradmin::service
