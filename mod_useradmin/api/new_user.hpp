#pragma once

#include "crypto/random.hpp"
#include "store/store.hpp"

namespace useradmin::api {

/// Returns a user with new ids and the current time (4.2). The strings must outlive the result.
inline store::NewUser new_user(std::string_view name, std::string_view email, std::string_view role,
                               std::string_view password_hash, bool account_id_is_user_id) {
    return {crypto::random_uuid(), crypto::random_uuid(), name,       email, role,
            password_hash,         account_id_is_user_id, text::now()};
}

} // namespace useradmin::api
