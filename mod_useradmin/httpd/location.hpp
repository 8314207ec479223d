// The base address of a module: the path of its Location.
#pragma once

#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::httpd {

/// Returns the path of the <Location> around a directive, or "" for "/". If there is none, or its
/// path cannot be a base address, returns nullptr and sets `problem`, which quotes the example.
const char* location_of(const cmd_parms* command, const char* example, const char*& problem);

/// Returns the percent-encoded path after the base address, valid for the lifetime of the request.
/// Uses the path in the request line if possible. After an internal redirect or a rewrite, encodes
/// request->uri instead.
std::string_view path_below(const request_rec* request, const char* base);

/// Returns the configuration of all modules at a base address in the request's virtual host. Valid
/// for the lifetime of the request.
ap_conf_vector_t* configuration_below(request_rec* request, const char* base) noexcept;

/// Returns the configuration of all modules at a path of the server, without needing a request.
/// Ignores Locations with patterns.
ap_conf_vector_t* configuration_at(apr_pool_t* pool, const server_rec* server,
                                   std::string_view path) noexcept;

/// A translate_name hook. Marks the request as not mapping to a file. Otherwise, modules would look
/// for a file or guess a type from the extension.
int skip_filename_translation(request_rec* request) noexcept;

/// A map_to_storage hook for requests that skip_filename_translation() marked.
int skip_map_to_storage(request_rec* request) noexcept;

} // namespace useradmin::httpd
