// mod_auth_useradmin: finds out who is calling from the application's session table, and says so in
// the request notes.
#include "http/auth_configuration.hpp"
#include "http/authentication.hpp"

// The one name that the module exports; httpd finds it by the symbol.
extern "C" {
extern module auth_useradmin_module __attribute__((visibility("default")));
module auth_useradmin_module = {STANDARD20_MODULE_STUFF,
                                useradmin::http::create_auth_configuration,
                                useradmin::http::merge_auth_configuration,
                                useradmin::http::create_auth_server_configuration,
                                nullptr,
                                useradmin::http::auth_directives,
                                useradmin::http::register_authentication_hooks,
                                AP_MODULE_FLAG_NONE};
}
