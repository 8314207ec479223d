// The rights that the service and the auth module want of the database, and no more.
#pragma once

#include "store/dialect.hpp"

namespace useradmin::store {

/// What the five operations do (specification, section 4).
inline constexpr Privilege service_privileges[] = {
    {'u', "SELECT"}, {'u', "INSERT"}, {'u', "UPDATE"},
    {'u', "DELETE"}, {'s', "DELETE"}, {'s', "SELECT", "userId"},
    {'a', "INSERT"}, {'a', "DELETE"}, {'a', "SELECT", "userId"},
};

/// What looking a session up takes (section 5).
inline constexpr Privilege session_privileges[] = {{'u', "SELECT"}, {'s', "SELECT"}};

/// What sessions and passwords below a user take beside the first (UserAdminExtras): no token and
/// no hash is read.
inline constexpr Privilege extras_privileges[] = {
    {'s', "SELECT", "id"},
    {'s', "SELECT", "userId"},
    {'s', "SELECT", "expiresAt"},
    {'s', "SELECT", "createdAt"},
    {'s', "SELECT", "updatedAt"},
    {'s', "SELECT", "ipAddress"},
    {'s', "SELECT", "userAgent"},
    {'s', "SELECT", "impersonatedBy"},
    {'a', "SELECT", "userId"},
    {'a', "SELECT", "providerId"},
    {'a', "UPDATE"},
};

/// What verifying a password takes.
inline constexpr Privilege password_privileges[] = {
    {'u', "SELECT"},
    {'a', "SELECT", "userId"},
    {'a', "SELECT", "providerId"},
    {'a', "SELECT", "password"},
};

/// What signing in takes beside those two. Locking a row takes the right to update a column of its.
inline constexpr Privilege sign_in_privileges[] = {{'s', "INSERT"},
                                                   {'s', "UPDATE"},
                                                   {'s', "DELETE"},
                                                   {'u', "UPDATE", "updatedAt"},
                                                   {'a', "UPDATE", "updatedAt"}};

} // namespace useradmin::store
