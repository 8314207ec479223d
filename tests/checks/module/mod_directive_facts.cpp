// A module for check-directives. With "httpd -t", prints what httpd and the code know about each
// directive.
#include "auth/configuration.hpp"
#include "directive_facts.hpp"

namespace {

void print_all(apr_pool_t*, server_rec* server) {
    useradmin::test::print_directives_of_useradmin(server);
    useradmin::test::print_directives<useradmin::auth::directives>(server, auth_useradmin_module);
}

void register_hooks(apr_pool_t*) {
    ap_hook_test_config(print_all, nullptr, nullptr, APR_HOOK_MIDDLE);
}

} // namespace

// The only exported symbol, by which httpd finds the module.
extern "C" {
extern module directive_facts_module __attribute__((visibility("default")));
// Use module_struct: clang 23 parses a line that begins with "module" as a module declaration.
module_struct directive_facts_module = {
    STANDARD20_MODULE_STUFF, nullptr, nullptr, nullptr, nullptr, nullptr, register_hooks,
    AP_MODULE_FLAG_NONE};
}
