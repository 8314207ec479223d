// httpd's configuration tree.
#pragma once

#include "httpd/httpd.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace useradmin::httpd {

/// A directive of the tree and its virtual host.
struct TreeDirective {
    const ap_directive_t& directive;
    /// The enclosing <VirtualHost>, or nullptr.
    const ap_directive_t* virtual_host;
};

/// Visits every directive in the order of the configuration, including sections ("<Location"). The
/// tree exists from check_config on.
void for_each_directive(const std::function<void(const TreeDirective&)>& visit);

/// Compares the directive's name, ignoring case as httpd does.
bool is_named(const ap_directive_t& directive, std::string_view name) noexcept;

/// Returns the directive's arguments, unquoted as by httpd and allocated in the pool.
std::vector<std::string_view> words_of(const ap_directive_t& directive, apr_pool_t* pool);

/// Returns whether the <VirtualHost> section defines the server.
bool is_section_of(const ap_directive_t& section, const server_rec& server) noexcept;

} // namespace useradmin::httpd
