// Bounds how many hashes the whole server computes at once, and how many requests wait to.
#pragma once

#include "ipc/counter.hpp"
#include "ipc/fair_semaphore.hpp"
#include "password/hash_memory.hpp"
#include "text/logger.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace useradmin::password {

/// The slots for those who compute a hash, and the queue before them. The object is one request's
/// way to them.
class Slots {
  public:
    /// What a request waits with.
    struct Terms {
        /// The longest that it waits.
        std::chrono::milliseconds wait;
        /// The directive that sets it, for the log.
        const char* wait_directive;
        /// Count how often the queue was full, and how often no slot came free in time; nullptr
        /// where nobody asks.
        ipc::Counter* full = nullptr;
        ipc::Counter* late = nullptr;
        /// What whoever holds a slot hashes in, of this process; nullptr: what the system gives.
        HashMemory* memory = nullptr;
        /// The client's network; see ipc::FairSemaphore.
        std::uint64_t network = ipc::FairSemaphore::Client::nobody;
    };

    Slots(ipc::FairSemaphore semaphore, const Terms& terms, text::Logger& log) noexcept
        : semaphore_(semaphore), terms_(terms), log_(&log) {}

    /// A slot that is held until this goes, by the thread that took it.
    class Held {
      private:
        friend class Slots;
        Held(std::unique_ptr<HashMemory::Use> use, ipc::FairSemaphore::Permit slot) noexcept
            : use_(std::move(use)), slot_(std::move(slot)) {}
        std::unique_ptr<HashMemory::Use> use_;
        ipc::FairSemaphore::Permit slot_;
    };

    using NoSlot = ipc::FairSemaphore::AcquireError;

    /// Takes a slot for the account, waiting in the queue where none is free. The log has why there
    /// was none.
    std::variant<Held, NoSlot> acquire(std::uint64_t account = ipc::FairSemaphore::Client::nobody);

  private:
    ipc::FairSemaphore semaphore_;
    Terms terms_;
    text::Logger* log_;
};

} // namespace useradmin::password
