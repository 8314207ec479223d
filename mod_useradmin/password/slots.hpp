// Limits how many passwords the server hashes concurrently and how many requests wait for a slot.
#pragma once

#include "ipc/fair_semaphore.hpp"
#include "text/logger.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <variant>

namespace useradmin::password {

/// Acquires hashing slots for a request.
class HashSlots {
  public:
    struct Options {
        std::chrono::milliseconds timeout;
        /// The directive that sets the maximum wait. Used only in the log.
        const char* timeout_directive;
        /// Counters for queue overflows and timeouts. If nullptr, they are not counted.
        std::atomic<std::uint64_t>* queue_full = nullptr;
        std::atomic<std::uint64_t>* timeouts = nullptr;
        /// The client's network. See ipc::FairSemaphore.
        std::uint64_t network = ipc::FairSemaphore::Client::nobody;
    };

    HashSlots(ipc::FairSemaphore& semaphore, const Options& options, text::Logger& log) noexcept
        : semaphore_(&semaphore), options_(options), log_(&log) {}

    /// A hashing slot. The thread that acquired it must destroy it.
    using Permit = ipc::FairSemaphore::Permit;
    using AcquireError = ipc::FairSemaphore::AcquireError;

    /// Acquires a slot for the account. If none is free, waits in the queue. Logs failures.
    std::variant<Permit, AcquireError>
    acquire(std::uint64_t account = ipc::FairSemaphore::Client::nobody);

  private:
    ipc::FairSemaphore* semaphore_;
    Options options_;
    text::Logger* log_;
};

} // namespace useradmin::password
