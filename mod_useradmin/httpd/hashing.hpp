// The server's hashing slots, in memory that all children share.
#pragma once

#include "httpd/httpd.hpp"
#include "password/slots.hpp"

namespace useradmin::httpd {

/// The slots of this configuration, the same for both modules: made at the first call, in the
/// configuration's pool, before the children are forked. A limit of 0 means the number of
/// processors. nullptr where the system gives no shared memory; that is logged.
void* hashing_slots(apr_pool_t* configuration_pool, server_rec* server, unsigned limit);

} // namespace useradmin::httpd
