// Whose session a token is (specification, section 5).
#pragma once

#include "store/store.hpp"

#include <string_view>

namespace useradmin::sign_in {

/// Who a token stands for. The texts live as long as the request.
struct Identity {
    std::string_view user_id;
    /// Empty where the user has no role.
    std::string_view role;
};

/// Whether the user is banned at that time: banned, with banExpires absent or in the future.
bool is_banned(const store::User& user, store::Timestamp now);

/// The user whose session has that token; not_found where there is none, where it has expired, or
/// where the user is banned.
store::Result<Identity> identify(store::Store& store, std::string_view token, store::Timestamp now);

} // namespace useradmin::sign_in
