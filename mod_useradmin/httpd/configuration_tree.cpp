#include "httpd/configuration_tree.hpp"

#include "apr/pool.hpp"
#include "text/unicode.hpp"

namespace useradmin::httpd {

namespace {

void visit_all(const ap_directive_t* directive, const ap_directive_t* virtual_host,
               const std::function<void(const TreeDirective&)>& visit) {
    for (; directive != nullptr; directive = directive->next) {
        visit({*directive, virtual_host});
        visit_all(directive->first_child,
                  is_named(*directive, "<VirtualHost") ? directive : virtual_host, visit);
    }
}

} // namespace

void for_each_directive(const std::function<void(const TreeDirective&)>& visit) {
    visit_all(ap_conftree, nullptr, visit);
}

bool is_named(const ap_directive_t& directive, std::string_view name) noexcept {
    return text::equals_ignoring_case(apr::view_of(directive.directive), name);
}

std::vector<std::string_view> arguments_of(const ap_directive_t& directive, apr_pool_t* pool) {
    std::vector<std::string_view> arguments;
    const char* rest = directive.args != nullptr ? directive.args : "";
    while (*rest != '\0')
        arguments.push_back(apr::view_of(ap_getword_conf(pool, &rest)));
    return arguments;
}

} // namespace useradmin::httpd
