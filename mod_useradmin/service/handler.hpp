// mod_useradmin's hooks.
#pragma once

#include "httpd/httpd.hpp"
#include "service/configuration.hpp"

#include <string_view>

namespace useradmin::service {

/// Returns the protected address: of the directive, the environment, or the built-in one (4.4.1,
/// check 5).
std::string_view protected_email_of(const request_rec* request, const ServiceSettings& settings);
/// The settings of the operations. Valid as long as the configuration.
api::OperationSettings operation_settings(const request_rec* request,
                                          const ap_conf_vector_t* configuration);

void register_service_hooks(apr_pool_t* pool) noexcept;

} // namespace useradmin::service
