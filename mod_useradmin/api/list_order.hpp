#pragma once

#include "store/store.hpp"

#include <optional>
#include <string_view>

namespace useradmin::api {

/// Returns the order for a value of the sort parameter: createdAt, updatedAt, name, email or, if
/// allowed, lastSeen. Returns std::nullopt for any other value.
std::optional<store::Order> order_by(std::string_view name, bool allows_last_seen = false) noexcept;

} // namespace useradmin::api
