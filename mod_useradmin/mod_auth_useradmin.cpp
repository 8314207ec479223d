// mod_auth_useradmin: finds out who is calling from the application's session table, and says so in
// the request notes.
#include "auth/authentication.hpp"
#include "auth/configuration.hpp"

// The one name that the module exports; httpd finds it by the symbol.
extern "C" {
extern module auth_useradmin_module __attribute__((visibility("default")));
module auth_useradmin_module = {STANDARD20_MODULE_STUFF,
                                useradmin::httpd::create_settings<useradmin::auth::directives>,
                                useradmin::httpd::merge_settings<useradmin::auth::directives>,
                                useradmin::auth::create_server_configuration,
                                useradmin::auth::merge_server_configuration,
                                useradmin::httpd::commands<useradmin::auth::directives>.data(),
                                useradmin::auth::register_authentication_hooks,
                                AP_MODULE_FLAG_ALWAYS_MERGE};
}
