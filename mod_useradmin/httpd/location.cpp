#include "httpd/location.hpp"

#include "apr/pool.hpp"
#include "httpd/response.hpp"

#include <apr_uri.h>

#include <algorithm>
#include <string>
#include <utility>

namespace useradmin::httpd {

namespace {

// The file name of requests that do not map to a file.
constexpr const char* no_file = "useradmin:";
// A handler name that no module handles.
constexpr const char* no_handler = "useradmin";
// No endpoint has this path below a base address.
constexpr std::string_view no_endpoint = "//";

/// Returns the path in the request line, still percent-encoded, or an empty view if it cannot be
/// parsed.
std::string_view sent_path(const request_rec* request) {
    apr_uri_t sent;
    const char* line = request->unparsed_uri;
    if (line == nullptr || apr_uri_parse(request->pool, line, &sent) != APR_SUCCESS)
        return {};
    return apr::view_of(sent.path);
}

/// Decodes the path as httpd does before it matches Locations, and returns whether the result
/// equals request->uri.
bool is_path_of(const request_rec* request, std::string_view sent) {
    const auto& core = *static_cast<const core_dir_config*>(
        ap_get_core_module_config(request->server->lookup_defaults));
    const bool decodes_slashes = !core.allow_encoded_slashes || core.decode_encoded_slashes;
    char* const decoded = apr_pstrmemdup(request->pool, sent.data(), sent.size());
    return ap_unescape_url_keep2f(decoded, decodes_slashes) == OK &&
           apr::view_of(decoded) == apr::view_of(request->uri);
}

/// Returns the length of the encoded prefix that decodes to the given number of bytes.
std::size_t encoded_size(std::string_view path, std::size_t decoded_size) noexcept {
    std::size_t at = 0;
    for (; decoded_size > 0 && at < path.size(); --decoded_size)
        at += path[at] == '%' ? 3 : 1;
    return std::min(at, path.size());
}

std::string with_percent_signs_encoded(std::string_view path) {
    std::string encoded;
    for (const char character : path)
        if (character == '%')
            encoded += "%25";
        else
            encoded += character;
    return encoded;
}

/// httpd resets the per-directory configuration before this phase, so check the file name instead.
int skip_map_to_storage(request_rec* request) noexcept {
    return apr::view_of(request->filename) == no_file ? OK : DECLINED;
}

/// Sets a handler, because mod_dir applies FallbackResource to requests that have neither a file
/// nor a handler.
int set_handler(request_rec* request) noexcept {
    if (request->handler == nullptr && apr::view_of(request->filename) == no_file)
        request->handler = no_handler;
    return DECLINED;
}

/// Calls mod_alias's hook to apply the virtual host's Redirect directives, because httpd does not
/// call it for claimed requests. Returns the status of the Redirect that applies, otherwise OK or
/// DECLINED.
int apply_redirect(request_rec* request) noexcept {
    const apr_array_header_t* const hooks = ap_hook_get_translate_name();
    const std::span all(reinterpret_cast<const ap_LINK_translate_name_t*>(hooks->elts),
                        static_cast<std::size_t>(hooks->nelts));
    const auto alias = std::ranges::find_if(all, [](const ap_LINK_translate_name_t& hook) {
        return apr::view_of(hook.szName) == "mod_alias.c";
    });
    if (alias == all.end())
        return DECLINED;
    const char* const handler = request->handler;
    const int status = alias->pFunc(request);
    request->handler = handler; // a ScriptAlias may have changed it
    return status;
}

} // namespace

const char* read_base(const ConfigLine& line, const char* example, Base& base) {
    const cmd_parms& command = *line.command;
    const ap_directive_t* section = command.directive->parent;
    if (section == nullptr || strcasecmp(section->directive, "<Location") != 0 ||
        command.path == nullptr)
        return apr_pstrcat(line.pool(), "is allowed only in a <Location>, such as <Location \"",
                           example, "\">", nullptr);
    // <Location ~ "…"> contains a regular expression.
    if (command.path[0] != '/' || ap_is_matchexp(command.path) ||
        apr::view_of(section->args).starts_with('~'))
        return apr_pstrcat(line.pool(),
                           "the path of its <Location> must begin with a slash and contain no "
                           "wildcard, such as <Location \"",
                           example, "\">", nullptr);
    const std::string_view path = command.path;
    const std::size_t size = path.find_last_not_of('/') + 1;
    base = {line.is_on, line.copy(path.substr(0, size)), command.directive};
    // <Location "/x/"> does not match /x, but that path is the base address itself.
    if (size > 0 && size < path.size())
        return apr_pstrcat(line.pool(),
                           "the path of its <Location> must not end with a slash; use <Location \"",
                           base.path, "\">", nullptr);
    return nullptr;
}

std::string location_text(std::string_view path) {
    return "<Location \"" + std::string(path.empty() ? "/" : path) + "\">";
}

std::string_view path_below(const request_rec* request, const char* base) {
    const std::size_t base_size = apr::view_of(base).size();
    const std::string_view path = apr::view_of(request->uri);
    // With MergeSlashes Off, <Location "/a/b"> also matches /a//b, but <LocationMatch> does not.
    if (!is_at_or_below(path, base))
        return no_endpoint;
    const std::string_view sent = sent_path(request);
    if (!sent.empty() && is_path_of(request, sent))
        return sent.substr(encoded_size(sent, base_size));
    return apr::copy_view(request->pool, with_percent_signs_encoded(path.substr(base_size)));
}

ap_conf_vector_t* configuration_for_path(request_rec* request, const char* path) noexcept {
    ap_conf_vector_t* const own = request->per_dir_config;
    char* const own_path = request->uri;
    request->per_dir_config = request->server->lookup_defaults;
    request->uri = apr_pstrdup(request->pool, *path != '\0' ? path : "/");
    ap_location_walk(request);
    request->uri = own_path;
    return std::exchange(request->per_dir_config, own);
}

std::span<ap_conf_vector_t* const> locations_of(const server_rec* server) noexcept {
    const apr_array_header_t& sections =
        *static_cast<const core_server_config*>(ap_get_core_module_config(server->module_config))
             ->sec_url;
    return {reinterpret_cast<ap_conf_vector_t* const*>(sections.elts),
            static_cast<std::size_t>(sections.nelts)};
}

std::optional<std::string_view> path_of(const ap_conf_vector_t* section) noexcept {
    const auto& location = *static_cast<const core_dir_config*>(ap_get_core_module_config(section));
    if (location.r != nullptr || location.d_is_fnmatch)
        return std::nullopt;
    const std::string_view path = apr::view_of(location.d);
    return path.substr(0, path.find_last_not_of('/') + 1);
}

bool is_at_or_below(std::string_view path, std::string_view base) noexcept {
    return path.starts_with(base) && (path.size() == base.size() || path[base.size()] == '/');
}

ap_conf_vector_t* configuration_at(apr_pool_t* pool, const server_rec* server,
                                   std::string_view path) noexcept {
    ap_conf_vector_t* merged = server->lookup_defaults;
    for (ap_conf_vector_t* const section : locations_of(server))
        if (const auto base = path_of(section); base && is_at_or_below(path, *base))
            merged = ap_merge_per_dir_configs(pool, merged, section);
    return merged;
}

ap_conf_vector_t* configuration_in(apr_pool_t* pool, const server_rec* server,
                                   ap_conf_vector_t* section) noexcept {
    const auto path = path_of(section);
    return path ? configuration_at(pool, server, *path)
                : ap_merge_per_dir_configs(pool, server->lookup_defaults, section);
}

void ignore_error_documents(request_rec* request) noexcept {
    const auto& core =
        *static_cast<const core_dir_config*>(ap_get_core_module_config(request->per_dir_config));
    if (core.response_code_exprs == nullptr)
        return;
    for (int status = HTTP_BAD_REQUEST; status < 600; ++status) {
        const int index = ap_index_of_response(status);
        if (apr_hash_get(core.response_code_exprs, &index, sizeof index) != nullptr)
            ap_custom_response(request, status, ap_get_status_line(status));
    }
}

int claim_request(request_rec* request, const char* base) noexcept {
    // With MergeSlashes Off, /a//b is an unknown path below /a/b.
    char* const path = apr_pstrdup(request->pool, request->uri);
    ap_no2slash(path);
    if (!is_at_or_below(path, base))
        return DECLINED;
    set_nosniff(request);
    const int status = apply_redirect(request);
    if (status != OK && status != DECLINED)
        return status;
    request->filename = apr_pstrdup(request->pool, no_file);
    ignore_error_documents(request);
    return OK;
}

void register_location(ap_HOOK_translate_name_t* claim) noexcept {
    // Run after the server's rewrite rules, but before mod_proxy and mod_alias.
    static constexpr const char* before[] = {"mod_rewrite.c", nullptr};
    static constexpr const char* after[] = {"mod_proxy.c", "mod_alias.c", nullptr};
    ap_hook_translate_name(claim, before, after, APR_HOOK_FIRST);
    ap_hook_map_to_storage(skip_map_to_storage, nullptr, nullptr, APR_HOOK_REALLY_FIRST);
    ap_hook_fixups(set_handler, nullptr, nullptr, APR_HOOK_MIDDLE);
}

} // namespace useradmin::httpd
