// The authentication provider `useradmin`: AuthBasicProvider useradmin, AuthFormProvider useradmin.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_password_provider(apr_pool_t* pool) noexcept;

/// Whether a directive of the configuration names the provider. Known when it has been read.
bool is_password_provider_configured();

} // namespace useradmin::auth
