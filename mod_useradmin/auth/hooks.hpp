// Registers the module's providers with httpd.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_authentication_hooks(apr_pool_t* pool) noexcept;

/// Registers the authentication provider `useradmin` for AuthBasicProvider and AuthFormProvider.
void register_password_provider(apr_pool_t* pool) noexcept;

/// Returns whether a directive names the password provider. Call it after httpd has read the
/// configuration.
bool is_password_provider_configured(apr_pool_t* pool);

/// Registers the authorization provider `user-role`, as in `Require user-role superAdmin admin`.
void register_role_provider(apr_pool_t* pool) noexcept;

void register_sign_in_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::auth
