#pragma once

#include "httpd/httpd.hpp"
#include "service/configuration.hpp"

#include <string_view>

namespace useradmin::service {

/// Returns the protected address (4.4.1, check 5): from the directive, the environment variable or
/// the built-in default, in this order.
std::string_view protected_email_of(const request_rec* request, const ServiceSettings& settings);
/// Returns the settings of the operations. The views are valid for the lifetime of the
/// configuration.
api::OperationSettings operation_settings(const request_rec* request,
                                          const ap_conf_vector_t* configuration);

void register_service_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::service
