// Figures on mod_status' page.
#pragma once

#include "httpd/prometheus.hpp"

#include <string>

namespace useradmin::httpd {

/// The lines that `?auto` has of the server, of all virtual hosts together, and of each.
std::string status_lines(const ServerMetrics& metrics);

/// The section of the page. The names of the virtual hosts are HTML.
std::string status_section(const ServerMetrics& metrics);

} // namespace useradmin::httpd
