// The configuration as httpd keeps it while it reads it: a tree of directives.
#pragma once

#include "httpd/httpd.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace useradmin::httpd {

/// A directive of the tree, with what stands around it.
struct TreeDirective {
    const ap_directive_t& directive;
    /// The <VirtualHost> that it stands in; nullptr for the server's own part.
    const ap_directive_t* virtual_host;
};

/// Visits every directive of the configuration, sections too ("<Location"), in the order in which
/// httpd read them. There is a tree while the configuration is checked, and from then on.
void for_each_directive(const std::function<void(const TreeDirective&)>& visit);

/// Whether the directive has that name, as httpd compares names.
bool is_named(const ap_directive_t& directive, std::string_view name) noexcept;

/// The words behind a directive's name, taken out of their quotes as httpd does; made in the pool.
std::vector<std::string_view> words_of(const ap_directive_t& directive, apr_pool_t* pool);

/// Whether the section is the one that made the server.
bool is_section_of(const ap_directive_t& section, const server_rec& server) noexcept;

} // namespace useradmin::httpd
