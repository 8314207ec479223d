// The authentication provider `useradmin`: AuthBasicProvider useradmin, AuthFormProvider useradmin.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_password_provider(apr_pool_t* pool) noexcept;

/// Returns whether a directive names the provider. Call it after the configuration has been read.
bool is_password_provider_configured(apr_pool_t* pool);

} // namespace useradmin::auth
