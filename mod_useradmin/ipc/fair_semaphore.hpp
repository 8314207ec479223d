// A queue that processes share.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>

namespace useradmin::ipc {

/// A fixed number of slots in memory that processes share, and a fixed number of places to wait for
/// one. Networks and accounts share both fairly: a further request of one that already has a
/// request in the queue is served after a request of each other one. When the queue is full, the
/// last in this order leaves it. What a process held that was killed comes free by itself (each
/// slot and place is a robust mutex). The object is one way to them.
class FairSemaphore {
  public:
    /// How many there are; at least one of each.
    struct Counts {
        unsigned permits;
        unsigned waiters;
    };

    /// For whom a slot is requested. Requests for nobody are served in the order of their arrival.
    struct Client {
        static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

        std::uint64_t network = nobody;
        /// Holds at most half of the slots, rounded up.
        std::uint64_t account = nobody;
    };

    /// How many bytes of shared memory so many need; the memory of another one may follow.
    static std::size_t size_of(const Counts& capacity) noexcept;

    /// Initializes shared, zeroed memory of size_of(bounds) bytes, aligned for any type. The caller
    /// owns the memory, which must outlive the object. To be called once, before the processes
    /// fork. Returns false if the system refuses.
    static bool init(void* memory, const Counts& capacity) noexcept;

    /// How many of them are held by processes that are running.
    static Counts in_use(const void* memory) noexcept;
    /// How many there are.
    static Counts capacity(const void* memory) noexcept;

    /// The semaphore in memory that init prepared.
    explicit FairSemaphore(void* memory) noexcept : memory_(memory) {}

    /// A slot that is held until this goes, by the thread that took it.
    class Permit {
      public:
        Permit(Permit&& other) noexcept;
        Permit& operator=(Permit&&) = delete;
        ~Permit();

      private:
        friend class FairSemaphore;
        Permit(void* memory, void* slot) noexcept : memory_(memory), slot_(slot) {}
        void* memory_;
        void* slot_;
    };

    /// Why there is none.
    enum class AcquireError {
        queue_full, ///< at once, or when a request of another network or account took the place
        timed_out,  ///< none came free while it waited
    };

    /// Takes a slot, waiting for that long in a place where none is free.
    std::variant<Permit, AcquireError> acquire(std::chrono::milliseconds wait,
                                               const Client& client) noexcept;
    /// Takes one for nobody.
    std::variant<Permit, AcquireError> acquire(std::chrono::milliseconds wait) noexcept {
        return acquire(wait, Client());
    }

  private:
    void* memory_;
};

} // namespace useradmin::ipc
