// mod_useradmin: user administration as a JSON interface inside Apache httpd.
#include "http/configuration.hpp"
#include "http/handler.hpp"

// The one name that the module exports; httpd finds it by the symbol.
extern "C" {
extern module useradmin_module __attribute__((visibility("default")));
module useradmin_module = {STANDARD20_MODULE_STUFF,
                           useradmin::http::create_configuration,
                           useradmin::http::merge_configuration,
                           useradmin::http::create_server_configuration,
                           useradmin::http::merge_server_configuration,
                           useradmin::http::directives,
                           useradmin::http::register_service_hooks,
                           AP_MODULE_FLAG_NONE};
}
