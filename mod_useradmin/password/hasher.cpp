#include "password/hasher.hpp"

#include <utility>

namespace useradmin::password {

std::variant<crypto::Secret, HashFailure> BoundedHasher::hash(std::string_view password) {
    const auto slot = slots_.acquire();
    if (std::holds_alternative<HashSlots::AcquireError>(slot))
        return HashFailure::busy;
    auto made = password::hash(format_, password);
    if (!made)
        return HashFailure::failed;
    return *std::move(made);
}

} // namespace useradmin::password
