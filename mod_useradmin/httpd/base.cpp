#include "httpd/base.hpp"

#include "apr/pool.hpp"

#include <algorithm>

namespace useradmin::httpd {

namespace {

// What the request is called instead of a file.
constexpr const char* no_file = "useradmin:";

} // namespace

const char* location_of(const cmd_parms* command, const char* example, const char*& problem) {
    const ap_directive_t* section = command->directive->parent;
    if (section == nullptr || strcasecmp(section->directive, "<Location") != 0 ||
        command->path == nullptr) {
        problem = apr_pstrcat(command->pool, "stands in a <Location> alone: <Location \"", example,
                              "\">", nullptr);
        return nullptr;
    }
    // <Location ~ "…"> holds a regular expression.
    if (command->path[0] != '/' || ap_is_matchexp(command->path) ||
        apr::view_of(section->args).starts_with('~')) {
        problem = apr_pstrcat(command->pool,
                              "the path of its <Location> must begin with a slash and hold no "
                              "wildcard: <Location \"",
                              example, "\">", nullptr);
        return nullptr;
    }
    std::string_view path = command->path;
    while (path.ends_with('/'))
        path.remove_suffix(1);
    return apr::terminated(command->pool, path);
}

std::string_view path_below(const request_rec* request, const char* base) noexcept {
    const std::string_view path = apr::view_of(request->uri);
    return path.substr(std::min(path.size(), apr::view_of(base).size()));
}

int keep_from_files(request_rec* request) noexcept {
    request->filename = apr_pstrdup(request->pool, no_file);
    return OK;
}

/// The configuration is the server's own in this phase, so the name has to tell.
int keep_from_storage(request_rec* request) noexcept {
    return apr::view_of(request->filename) == no_file ? OK : DECLINED;
}

} // namespace useradmin::httpd
