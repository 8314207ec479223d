// The authentication provider `useradmin` for AuthBasicProvider and AuthFormProvider.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_password_provider(apr_pool_t* pool) noexcept;

/// Returns whether a directive names the provider. Call it after httpd has read the configuration.
bool is_password_provider_configured(apr_pool_t* pool);

} // namespace useradmin::auth
