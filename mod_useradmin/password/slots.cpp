#include "password/slots.hpp"

#include <string>

namespace useradmin::password {

std::variant<HashSlots::Permit, HashSlots::AcquireError> HashSlots::acquire(std::uint64_t account) {
    auto slot = semaphore_->acquire(options_.timeout, {options_.network, account});
    if (std::holds_alternative<Permit>(slot))
        return slot;

    const AcquireError reason = std::get<AcquireError>(slot);
    const bool is_full = reason == AcquireError::queue_full;
    if (auto* const counter = is_full ? options_.queue_full : options_.timeouts)
        ++*counter;
    log_->write_throttled(
        text::Level::warning,
        is_full ? "UA0215: the queue for hashing slots is full; raise UserAdminHashLimit or "
                  "UserAdminHashQueue, or find the client that sends so many passwords"
                : "UA0306: no hashing slot was available within " +
                      std::to_string(options_.timeout.count() / 1000) +
                      " s; raise UserAdminHashLimit or " + options_.timeout_directive);
    return reason;
}

} // namespace useradmin::password
