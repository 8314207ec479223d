// The order of a list of users.
#pragma once

#include "store/store.hpp"

#include <optional>
#include <string_view>

namespace useradmin::api {

/// Returns the order of the parameter sort (createdAt, updatedAt, name or email), or nothing for
/// any other text.
std::optional<store::Order> order_by(std::string_view name) noexcept;

} // namespace useradmin::api
