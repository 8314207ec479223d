// mod_useradmin's place in httpd's way of handling a request.
#pragma once

#include "httpd/httpd.hpp"
#include "service/configuration.hpp"

#include <string_view>

namespace useradmin::service {

/// The protected address: the directive's, the environment's, or the built-in one (4.4.1, check 5).
std::string_view protected_email_of(const request_rec* request, const ServiceSettings& settings);
/// What a service's directives decide of its operations. Lives as long as the configuration.
api::OperationSettings operation_settings(const request_rec* request,
                                          const ServiceSettings& settings);

void register_service_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::service
