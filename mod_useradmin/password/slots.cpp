#include "password/slots.hpp"

#include <string>

namespace useradmin::password {

std::variant<Slots::Held, Slots::NoSlot> Slots::acquire(std::uint64_t account) {
    std::unique_ptr<HashMemory::Use> use;
    if (terms_.memory != nullptr)
        use = std::make_unique<HashMemory::Use>(*terms_.memory);
    auto slot = semaphore_.acquire(terms_.wait, {terms_.network, account});
    if (auto* const held = std::get_if<ipc::FairSemaphore::Permit>(&slot))
        return Held(std::move(use), std::move(*held));

    const NoSlot reason = std::get<NoSlot>(slot);
    const bool is_full = reason == NoSlot::queue_full;
    if (ipc::Counter* const counter = is_full ? terms_.full : terms_.late)
        counter->add();
    log_->write_throttled(
        text::Level::warning,
        is_full ? "UA0215: the queue for hashing slots was full; raise UserAdminHashLimit or "
                  "UserAdminHashQueue, or find who sends so many passwords"
                : "UA0306: no hashing slot came free within " +
                      std::to_string(terms_.wait.count() / 1000) +
                      " s; raise UserAdminHashLimit or " + terms_.wait_directive);
    return reason;
}

} // namespace useradmin::password
