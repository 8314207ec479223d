// The base address of a module: the path of its Location.
#pragma once

#include "httpd/directives.hpp"
#include "httpd/httpd.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace useradmin::httpd {

/// The flag that makes a Location a base address, and the Location's path.
struct Base {
    bool is_on = false;
    /// The path of the Location without a trailing slash, or "" for "/". nullptr if the directive
    /// is not set.
    const char* path = nullptr;
    /// The directive, for log lines while httpd reads the configuration.
    const ap_directive_t* directive = nullptr;
};

/// Returns the Location's first line, for log lines. path: as in Base.
std::string location_text(std::string_view path);

/// Reads the flag of a directive that makes its Location a base address. Returns nullptr or an
/// error message. example: a path to suggest in the message.
const char* read_base(const ConfigLine& line, const char* example, Base& base);

/// Returns the percent-encoded path after the base address, valid for the lifetime of the request.
/// Uses the path in the request line if possible. After an internal redirect or a rewrite, uses
/// request->uri with its percent signs encoded instead. If the request's path has extra slashes
/// within the base address, returns a path that no endpoint has, so the request cannot bypass a
/// <LocationMatch>.
std::string_view path_below(const request_rec* request, const char* base);

/// Returns the merged per-directory configuration for a URL path in the request's virtual host.
/// Valid for the lifetime of the request.
ap_conf_vector_t* configuration_for_path(request_rec* request, const char* path) noexcept;

/// Returns the merged per-directory configuration for a URL path, without a request. Ignores
/// <LocationMatch> sections, and <Location> sections with regular expressions or wildcards.
ap_conf_vector_t* configuration_at(apr_pool_t* pool, const server_rec* server,
                                   std::string_view path) noexcept;

/// Returns the <Location> and <LocationMatch> sections of a server in configuration order,
/// including those inherited from the main server.
std::span<ap_conf_vector_t* const> locations_of(const server_rec* server) noexcept;

/// Returns the path of a <Location> section without trailing slashes, or std::nullopt if the
/// section has a regular expression or wildcard.
std::optional<std::string_view> path_of(const ap_conf_vector_t* section) noexcept;

/// Returns whether a URL path is the base or below it. The base has no trailing slash.
bool is_at_or_below(std::string_view path, std::string_view base) noexcept;

/// Returns the merged per-directory configuration for requests to the path of a section. For a
/// section with a regular expression or wildcard, merges it only with the server's configuration.
ap_conf_vector_t* configuration_in(apr_pool_t* pool, const server_rec* server,
                                   ap_conf_vector_t* section) noexcept;

/// Replaces each ErrorDocument with plain text, for requests whose errors get the module's own
/// body. Otherwise, if an ErrorDocument were a full URL, httpd would send a redirect to it instead
/// of the error.
void ignore_error_documents(request_rec* request) noexcept;

/// For a translate_name hook. Applies the virtual host's Redirect directives. Marks other requests
/// as not mapped to a file. Otherwise, modules would look for a file or guess a type from the
/// extension. Also calls set_nosniff(), so clients do not guess a type either, and
/// ignore_error_documents(). Returns OK, the status of the Redirect that applies, or DECLINED if a
/// rewrite rule has changed the path to one outside the base address.
int claim_request(request_rec* request, const char* base) noexcept;

/// Registers hooks of a module: its translate_name hook, which must call claim_request(), and
/// map_to_storage and fixups hooks for claimed requests.
void register_location(ap_HOOK_translate_name_t* claim) noexcept;

} // namespace useradmin::httpd
