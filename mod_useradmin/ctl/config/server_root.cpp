#include "ctl/config/httpd_configuration.hpp"

#include <httpd.h>

namespace useradmin::ctl {

std::string_view default_server_root() noexcept {
    return HTTPD_ROOT;
}

} // namespace useradmin::ctl
