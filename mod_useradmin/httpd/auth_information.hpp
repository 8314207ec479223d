// What an auth module tells the service.
#pragma once

#include "api/openapi.hpp"
#include "httpd/httpd.hpp"

#include <optional>

/// Returns the base address of the first Location in the request's virtual host where users sign
/// in, or nullptr. Valid as long as the configuration.
APR_DECLARE_OPTIONAL_FN(const char*, useradmin_sign_in_address, (request_rec * request));

namespace useradmin::httpd {

using TokenCarriers = std::optional<api::TokenCarriers>;

} // namespace useradmin::httpd

/// Returns what a session's token is carried in, by a configuration of directories; nothing if no
/// session is looked up there. Valid as long as the configuration.
APR_DECLARE_OPTIONAL_FN(useradmin::httpd::TokenCarriers, useradmin_token_carriers,
                        (const ap_conf_vector_t* configuration));

namespace useradmin::httpd {

/// As above; nullptr too if no auth module tells it.
inline const char* sign_in_address(request_rec* request) {
    auto* const find = APR_RETRIEVE_OPTIONAL_FN(useradmin_sign_in_address);
    return find != nullptr ? find(request) : nullptr;
}

/// As above; nothing too if no auth module tells it.
inline TokenCarriers token_carriers(const ap_conf_vector_t* configuration) {
    auto* const find = APR_RETRIEVE_OPTIONAL_FN(useradmin_token_carriers);
    return find != nullptr ? find(configuration) : std::nullopt;
}

} // namespace useradmin::httpd
