// Includes httpd's headers from C++.
#pragma once

#include <cstddef>

// Makes the AP_INIT_* macros use designated initializers. The compiler then checks the types of the
// handlers.
#define AP_HAVE_DESIGNATED_INITIALIZER 1

extern "C" {
#include <httpd.h>

#include <ap_expr.h>
#include <ap_mpm.h>
#include <apr_dbd.h>
#include <apr_optional.h>
#include <apr_optional_hooks.h>
#include <apr_shm.h>
#include <apr_strings.h>
#include <http_config.h>
#include <http_core.h>
#include <http_log.h>
#include <http_main.h>
#include <http_protocol.h>
#include <http_request.h>
#include <mod_dbd.h>
#include <mod_status.h>
#include <util_filter.h>
}

// APR's own macro dereferences a null pointer. The sanitizers reject that.
#undef APR_OFFSETOF
#define APR_OFFSETOF(type, field) offsetof(type, field)
