// Registers the module's hooks and providers.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_authentication_hooks(apr_pool_t* pool) noexcept;

/// Registers the `useradmin` authentication provider for AuthBasicProvider and AuthFormProvider.
void register_password_provider(apr_pool_t* pool) noexcept;

/// Returns whether a directive names the password provider. Call it after httpd has read the
/// configuration.
bool is_password_provider_configured(apr_pool_t* pool);

/// Registers the `user-role` authorization provider, as in `Require user-role superAdmin admin`.
void register_role_provider(apr_pool_t* pool) noexcept;

void register_sign_in_hooks() noexcept;

} // namespace useradmin::auth
