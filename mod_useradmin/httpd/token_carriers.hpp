// What a session's token is carried in, as mod_auth_useradmin tells mod_useradmin.
#pragma once

#include "api/openapi.hpp"
#include "httpd/httpd.hpp"

#include <optional>

namespace useradmin::httpd {

using TokenCarriers = std::optional<api::TokenCarriers>;

} // namespace useradmin::httpd

/// The carriers by a configuration of directories; nothing where AuthUserAdmin is off there. They
/// live as long as the configuration.
APR_DECLARE_OPTIONAL_FN(useradmin::httpd::TokenCarriers, useradmin_token_carriers,
                        (const ap_conf_vector_t* configuration));

namespace useradmin::httpd {

/// The same; nothing too where mod_auth_useradmin is not loaded.
inline TokenCarriers token_carriers(const ap_conf_vector_t* configuration) {
    auto* const find = APR_RETRIEVE_OPTIONAL_FN(useradmin_token_carriers);
    return find != nullptr ? find(configuration) : std::nullopt;
}

} // namespace useradmin::httpd
