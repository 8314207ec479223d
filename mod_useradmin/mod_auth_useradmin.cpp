// mod_auth_useradmin: finds out who is calling from the application's session table, and says so in
// the request notes.
#include "auth/authentication.hpp"
#include "auth/configuration.hpp"

// The one name that the module exports; httpd finds it by the symbol.
extern "C" {
extern module auth_useradmin_module __attribute__((visibility("default")));
module auth_useradmin_module = {STANDARD20_MODULE_STUFF,
                                useradmin::auth::create_auth_configuration,
                                useradmin::auth::merge_auth_configuration,
                                useradmin::auth::create_auth_server_configuration,
                                nullptr,
                                useradmin::auth::auth_directives,
                                useradmin::auth::register_authentication_hooks,
                                AP_MODULE_FLAG_NONE};
}
