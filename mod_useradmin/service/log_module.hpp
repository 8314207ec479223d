#pragma once

#include "httpd/httpd.hpp"

// LogLevel and ErrorLogFormat's %m name this module for what its files log.
APLOG_USE_MODULE(useradmin);
