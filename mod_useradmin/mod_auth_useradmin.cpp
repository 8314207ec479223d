// mod_auth_useradmin: finds the caller in the application's session table and sets request notes.
#include "auth/configuration.hpp"
#include "auth/hooks.hpp"

// The only exported symbol: httpd looks up the module by this name.
// clang 23 parses a line that begins with "module" as a C++ module declaration.
module_struct auth_useradmin_module __attribute__((visibility("default"))) = {
    MODULE_MAGIC_NUMBER_MAJOR, MODULE_MAGIC_NUMBER_MINOR, -1,
    // The name for <IfModule>: a C file name, as for other modules.
    "mod_auth_useradmin.c", nullptr, nullptr, MODULE_MAGIC_COOKIE, nullptr,
    useradmin::httpd::create_settings<useradmin::auth::directives>,
    useradmin::httpd::merge_settings<useradmin::auth::directives>,
    useradmin::auth::create_server_configuration, useradmin::auth::merge_server_configuration,
    useradmin::httpd::commands<useradmin::auth::directives>.data(),
    useradmin::auth::register_authentication_hooks, AP_MODULE_FLAG_ALWAYS_MERGE};
