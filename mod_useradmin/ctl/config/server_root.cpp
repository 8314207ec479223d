#include "ctl/config/httpd_configuration.hpp"

#include <httpd.h>

#include <cstdlib>

namespace useradmin::ctl {

std::string_view default_server_root() noexcept {
    const char* const folder = std::getenv("APACHE_CONFDIR");
    return folder != nullptr && *folder != '\0' ? folder : HTTPD_ROOT;
}

std::string default_configuration_file() {
    return std::string(default_server_root()) + "/" SERVER_CONFIG_FILE;
}

} // namespace useradmin::ctl
