#pragma once

#include "httpd/httpd.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace useradmin::httpd {

struct TreeDirective {
    const ap_directive_t& directive;
    /// The enclosing <VirtualHost>, or nullptr.
    const ap_directive_t* virtual_host;
};

/// Visits every directive, including sections ("<Location"), in configuration order. Call from
/// check_config or later. The tree does not exist before then.
void for_each_directive(const std::function<void(const TreeDirective&)>& visit);

/// Returns whether the directive has this name, ignoring case as httpd does.
bool is_named(const ap_directive_t& directive, std::string_view name) noexcept;

/// Returns the directive's arguments, unquoted as httpd does and allocated in the pool.
std::vector<std::string_view> arguments_of(const ap_directive_t& directive, apr_pool_t* pool);

} // namespace useradmin::httpd
