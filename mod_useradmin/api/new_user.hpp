// The making of a user, for the interface and for the command line.
#pragma once

#include "crypto/random.hpp"
#include "store/store.hpp"

namespace useradmin::api {

/// A user to be made now, with new ids (4.2). The texts must outlive it.
inline store::NewUser new_user(std::string_view name, std::string_view email, std::string_view role,
                               std::string_view password_hash, bool account_id_is_user_id) {
    return {crypto::random_uuid(), crypto::random_uuid(), name,       email, role,
            password_hash,         account_id_is_user_id, text::now()};
}

} // namespace useradmin::api
