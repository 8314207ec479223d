#pragma once

#include "httpd/httpd.hpp"

// Attributes log lines to this module, for LogLevel and %m in ErrorLogFormat.
APLOG_USE_MODULE(useradmin);
