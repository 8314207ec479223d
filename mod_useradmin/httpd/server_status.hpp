// Metrics on the page of mod_status.
#pragma once

#include "httpd/prometheus.hpp"

#include <string>

namespace useradmin::httpd {

/// Returns the lines for `?auto`: the sum of all virtual hosts, then each.
std::string status_lines(const ServerMetrics& metrics);

/// Returns the HTML section. Names of virtual hosts must be HTML already.
std::string status_section(const ServerMetrics& metrics);

} // namespace useradmin::httpd
