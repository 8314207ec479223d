// The Location that a module answers below, instead of files.
#pragma once

#include "httpd/httpd.hpp"

#include <string_view>

namespace useradmin::httpd {

/// The path of the <Location> around a directive, without a slash at its end; nullptr, and the
/// reason, where there is none. The example is what the reason shows as right.
const char* location_of(const cmd_parms* command, const char* example, const char*& problem);

/// What follows the base address in the path, percent-encoded; it lives as long as the request. It
/// is taken as it was sent where it names the path that httpd's access rules are applied to, and
/// made from that path otherwise (after an internal redirect or a rewrite).
std::string_view path_below(const request_rec* request, const char* base);

/// What the directives of all modules say right below a base address of the request's virtual host.
/// It lives as long as the request.
ap_conf_vector_t* configuration_below(request_rec* request, const char* base) noexcept;

/// In translate_name: the request is for no file, so that no module looks for one, or guesses from
/// its ending.
int skip_filename_translation(request_rec* request) noexcept;

/// The hook map_to_storage for such requests.
int skip_map_to_storage(request_rec* request) noexcept;

} // namespace useradmin::httpd
