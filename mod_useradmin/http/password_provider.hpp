// The authentication provider `useradmin`: AuthBasicProvider useradmin, AuthFormProvider useradmin.
#pragma once

#include "http/httpd.hpp"

namespace useradmin::http {

void register_password_provider(apr_pool_t* pool) noexcept;

/// Whether a directive of the configuration names the provider. Known when it has been read.
bool names_password_provider();

} // namespace useradmin::http
