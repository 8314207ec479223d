// Bounds how many hashes the whole server computes at once, and how many requests wait to.
#pragma once

#include "ipc/fair_semaphore.hpp"
#include "password/hash_memory.hpp"
#include "text/logger.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace useradmin::password {

/// The slots for those who compute a hash, and the queue before them. The object is one request's
/// way to them.
class HashSlots {
  public:
    /// What a request waits with.
    struct Options {
        /// The longest that it waits.
        std::chrono::milliseconds timeout;
        /// The directive that sets it, for the log.
        const char* timeout_directive;
        /// Count how often the queue was full, and how often no slot came free in time; nullptr
        /// where nobody asks.
        std::atomic<std::uint64_t>* queue_full = nullptr;
        std::atomic<std::uint64_t>* timeouts = nullptr;
        /// The memory for hashing, of this process; nullptr: allocate for each hash.
        HashMemory* memory = nullptr;
        /// The client's network; see ipc::FairSemaphore.
        std::uint64_t network = ipc::FairSemaphore::Client::nobody;
    };

    HashSlots(ipc::FairSemaphore& semaphore, const Options& options, text::Logger& log) noexcept
        : semaphore_(&semaphore), options_(options), log_(&log) {}

    /// A slot that is held until this goes, by the thread that took it.
    class Permit {
      private:
        friend class HashSlots;
        Permit(std::unique_ptr<HashMemory::Lease> lease, ipc::FairSemaphore::Permit permit) noexcept
            : lease_(std::move(lease)), permit_(std::move(permit)) {}
        std::unique_ptr<HashMemory::Lease> lease_;
        ipc::FairSemaphore::Permit permit_;
    };

    using AcquireError = ipc::FairSemaphore::AcquireError;

    /// Takes a slot for the account, waiting in the queue where none is free. The log has why there
    /// was none.
    std::variant<Permit, AcquireError>
    acquire(std::uint64_t account = ipc::FairSemaphore::Client::nobody);

  private:
    ipc::FairSemaphore* semaphore_;
    Options options_;
    text::Logger* log_;
};

} // namespace useradmin::password
