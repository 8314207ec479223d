// mod_useradmin: a JSON API for user administration inside Apache httpd.
#include "service/configuration.hpp"
#include "service/handler.hpp"

// The only exported symbol: httpd looks up the module by this name.
// Declared as module_struct, because clang 23 parses a line that begins with "module" as a C++
// module declaration.
module_struct useradmin_module __attribute__((visibility("default"))) = {
    MODULE_MAGIC_NUMBER_MAJOR, MODULE_MAGIC_NUMBER_MINOR, -1,
    // The name for <IfModule>: a C file name, as for other modules.
    "mod_useradmin.c", nullptr, nullptr, MODULE_MAGIC_COOKIE, nullptr,
    useradmin::httpd::create_settings<useradmin::service::directives>,
    useradmin::httpd::merge_settings<useradmin::service::directives>,
    useradmin::service::create_server_configuration, useradmin::service::merge_server_configuration,
    useradmin::httpd::commands<useradmin::service::directives>.data(),
    useradmin::service::register_service_hooks, AP_MODULE_FLAG_ALWAYS_MERGE};
