#include "password/slots.hpp"

#include <string>

namespace useradmin::password {

std::variant<HashSlots::Permit, HashSlots::AcquireError> HashSlots::acquire(std::uint64_t account) {
    using Clock = std::chrono::steady_clock;
    Clock::duration own_elapsed{0};
    Clock::duration& elapsed = options_.elapsed != nullptr ? *options_.elapsed : own_elapsed;
    const Clock::time_point started = Clock::now();
    auto slot = semaphore_->acquire(
        std::chrono::ceil<std::chrono::milliseconds>(options_.timeout - elapsed),
        {options_.network, account});
    elapsed += Clock::now() - started;
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
