#include "ctl/config/httpd_configuration.hpp"

#include <httpd.h>

#include <cstdlib>

namespace useradmin::ctl {

std::string_view default_server_root() noexcept {
    return HTTPD_ROOT;
}

std::string default_configuration_file() {
    const char* const folder = std::getenv("APACHE_CONFDIR");
    return std::string(folder != nullptr ? folder : HTTPD_ROOT) + "/" SERVER_CONFIG_FILE;
}

} // namespace useradmin::ctl
