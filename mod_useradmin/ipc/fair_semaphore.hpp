// A semaphore with a fair queue, in shared memory.
#pragma once

#include "ipc/mutex.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>

namespace useradmin::ipc {

/// Limits several processes to a fixed number of permits. Requests wait in a queue of fixed length.
/// The queue serves networks and accounts round robin: the second request of a network or account
/// is queued behind the first requests of the others. If the queue is full, the request that is
/// last in this order is rejected. Each permit and each place in the queue is a robust mutex, so
/// both become free if the process is killed.
class FairSemaphore {
  public:
    struct Counts {
        unsigned permits;
        unsigned waiters;
    };

    /// The client that requests a permit. Requests with neither a network nor an account are served
    /// in order of arrival.
    struct Client {
        static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

        std::uint64_t network = nobody;
        /// Identifies the account, which can hold at most half of the permits, rounded up.
        std::uint64_t account = nobody;
    };

    /// Returns the required size in bytes. It is a multiple of the alignment.
    static std::size_t size_of(const Counts& capacity) noexcept;

    /// Creates a semaphore in zeroed shared memory of size_of() bytes, aligned for any type. The
    /// caller owns the memory. Call once, before the processes fork. Returns nullptr if a mutex
    /// cannot be initialized or a capacity is 0.
    static FairSemaphore* create(void* memory, const Counts& capacity) noexcept;
    FairSemaphore(const FairSemaphore&) = delete;
    FairSemaphore& operator=(const FairSemaphore&) = delete;

    const Counts& capacity() const noexcept { return capacity_; }
    /// Returns the numbers of permits and queue places that running processes hold.
    Counts in_use() noexcept;

  private:
    struct Reservation;

  public:
    /// A permit. The thread that acquired it must also destroy it.
    class Permit {
      public:
        Permit(Permit&& other) noexcept;
        Permit& operator=(Permit&&) = delete;
        ~Permit();

      private:
        friend class FairSemaphore;
        Permit(FairSemaphore& semaphore, Reservation* slot) noexcept
            : semaphore_(semaphore), slot_(slot) {}
        FairSemaphore& semaphore_;
        Reservation* slot_;
    };

    enum class AcquireError {
        queue_full, ///< rejected immediately, or displaced later by another network or account
        timed_out,  ///< no permit became free in time
    };

    /// Acquires a permit. If none is free, waits in the queue.
    std::variant<Permit, AcquireError> acquire(std::chrono::milliseconds timeout,
                                               const Client& client) noexcept;
    /// Acquires a permit for a request without a network or account.
    std::variant<Permit, AcquireError> acquire(std::chrono::milliseconds timeout) noexcept {
        return acquire(timeout, Client());
    }

  private:
    explicit FairSemaphore(const Counts& capacity) noexcept : capacity_(capacity), mutex_() {}

    std::span<Reservation> waiters() noexcept;
    std::span<Reservation> slots() noexcept;
    std::span<Reservation> reservations() noexcept;
    /// Returns whether the account may hold another permit.
    bool may_run(std::uint64_t account) noexcept;
    bool has_earlier_waiter(std::uint64_t order) noexcept;
    std::uint64_t order_of(const Client& client) noexcept;
    Reservation* take_slot(std::uint64_t order, const Client& client) noexcept;
    Reservation* enqueue(std::uint64_t order, const Client& client,
                         std::chrono::steady_clock::time_point deadline) noexcept;
    void release(Reservation& reservation) noexcept;

    Counts capacity_;
    /// If a process is killed while it holds this mutex, all reservations remain valid.
    Mutex mutex_;
    /// The order of the next request whose network and account have neither a waiter nor a permit.
    std::uint64_t next_order_ = 0;
    // The reservations follow this object in memory: first the waiters, then the slots.
};

} // namespace useradmin::ipc
