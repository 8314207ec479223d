// mod_auth_useradmin: finds out who is calling from the application's session table, and says so in
// the request notes.
#include "auth/authentication.hpp"
#include "auth/configuration.hpp"

// The one name that the module exports; httpd finds it by the symbol.
extern "C" {
extern module auth_useradmin_module __attribute__((visibility("default")));
// A line that begins with "module" is to clang 23 one of the modules of C++.
module_struct auth_useradmin_module = {
    MODULE_MAGIC_NUMBER_MAJOR, MODULE_MAGIC_NUMBER_MINOR, -1,
    // The name that <IfModule> and the like know it by: of a C file, as for other modules.
    "mod_auth_useradmin.c", nullptr, nullptr, MODULE_MAGIC_COOKIE, nullptr,
    useradmin::httpd::create_settings<useradmin::auth::directives>,
    useradmin::httpd::merge_settings<useradmin::auth::directives>,
    useradmin::auth::create_server_configuration, useradmin::auth::merge_server_configuration,
    useradmin::httpd::commands<useradmin::auth::directives>.data(),
    useradmin::auth::register_authentication_hooks, AP_MODULE_FLAG_ALWAYS_MERGE};
}
