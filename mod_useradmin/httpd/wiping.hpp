// What httpd read of a client and what holds a secret, wiped once it has been used.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::httpd {

/// Registers the filter that takes the headers Authorization and Cookie, and the bodies that may
/// hold a password, out of the memory that httpd reads into, and puts it before every connection;
/// the same for both modules.
void register_wiping(apr_pool_t* pool) noexcept;

/// Says that the request's body may hold a password, whoever reads it or leaves it unread.
void wipe_body(request_rec* request) noexcept;

/// Wipes the values of Authorization and Cookie when the client's request ends: its log has been
/// written then.
void wipe_credentials_at_end(request_rec* request) noexcept;

/// Wipes a text in the request's memory, to its terminator, when the request ends.
void wipe_at_end(const request_rec* request, const char* text) noexcept;

} // namespace useradmin::httpd
