// The base address: the Location below which a module replies.
#pragma once

#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::httpd {

/// Returns the path of the <Location> around a directive; empty for "/". If there is none, or its
/// path cannot be a base address, returns nullptr and sets the problem, which quotes the example.
const char* location_of(const cmd_parms* command, const char* example, const char*& problem);

/// Returns the percent-encoded path after the base address, valid for the lifetime of the request.
/// If the path in the request line is the one to which access control was applied, returns a part
/// of it. Otherwise, after an internal redirect or a rewrite, encodes request->uri.
std::string_view path_below(const request_rec* request, const char* base);

/// Returns the configuration of all modules at a base address of the request's virtual host, valid
/// for the lifetime of the request.
ap_conf_vector_t* configuration_below(request_rec* request, const char* base) noexcept;

/// Returns the configuration of all modules at a path of the server, without a request. Ignores
/// Locations with patterns.
ap_conf_vector_t* configuration_at(apr_pool_t* pool, const server_rec* server,
                                   std::string_view path) noexcept;

/// For translate_name: marks the request as not mapping to a file, so that no module looks for one
/// or guesses a type from the extension.
int skip_filename_translation(request_rec* request) noexcept;

/// The map_to_storage hook for such requests.
int skip_map_to_storage(request_rec* request) noexcept;

} // namespace useradmin::httpd
