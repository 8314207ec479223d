// mod_auth_useradmin: authenticates requests with the application's sessions, API keys and
// passwords, and handles sign-in.
#include "auth/configuration.hpp"
#include "auth/hooks.hpp"

// The only exported symbol: httpd looks up the module by this name.
// Declared as module_struct, because clang 23 parses a line that begins with "module" as a C++
// module declaration.
module_struct auth_useradmin_module __attribute__((visibility("default"))) = {
    MODULE_MAGIC_NUMBER_MAJOR, MODULE_MAGIC_NUMBER_MINOR, -1,
    // The name for <IfModule>: a C file name, as for other modules.
    "mod_auth_useradmin.c", nullptr, nullptr, MODULE_MAGIC_COOKIE, nullptr,
    useradmin::httpd::create_settings<useradmin::auth::directives>,
    useradmin::httpd::merge_settings<useradmin::auth::directives>,
    useradmin::auth::create_server_configuration, useradmin::auth::merge_server_configuration,
    useradmin::httpd::commands<useradmin::auth::directives>.data(),
    useradmin::auth::register_authentication_hooks, AP_MODULE_FLAG_ALWAYS_MERGE};
