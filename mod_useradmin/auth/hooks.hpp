// Registers the module's hooks and providers.
#pragma once

#include "httpd/httpd.hpp"

namespace useradmin::auth {

void register_authentication_hooks(apr_pool_t* pool) noexcept;

/// Registers the `useradmin` authentication provider for AuthBasicProvider and AuthFormProvider.
void register_password_provider(apr_pool_t* pool) noexcept;

/// Registers the `user-role` authorization provider, as in `Require user-role superAdmin admin`.
void register_role_provider(apr_pool_t* pool) noexcept;

void register_sign_in_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::auth
