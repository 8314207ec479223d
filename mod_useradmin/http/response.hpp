// Replies, and the envelope around the errors of others.
#pragma once

#include "api/service.hpp"
#include "http/httpd.hpp"

namespace useradmin::http {

/// Sends the reply and ends the response; OK for the handler to return.
int send(request_rec* request, api::Reply reply);

/// The base address of its server that the request's address lies below; nullptr where there is
/// none.
const char* base_of(const request_rec* request) noexcept;

/// What follows the base address in the path, still percent-encoded.
std::string_view path_below(const request_rec* request, const char* base) noexcept;

/// The envelope for the error that a request below a base address ended with.
api::Reply envelope_of(const request_rec* request, const char* base);

/// The name and the function of the output filter that puts the envelope into an error response
/// that httpd or another module makes.
inline constexpr const char* envelope_filter = "USERADMIN_ENVELOPE";
apr_status_t put_envelope(ap_filter_t* filter, apr_bucket_brigade* brigade) noexcept;

} // namespace useradmin::http
