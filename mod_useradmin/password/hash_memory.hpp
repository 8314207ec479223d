// Memory for hashing.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

namespace useradmin::password {

/// A process's memory for hashing with libargon2, usually 19 MiB per hash. The kernel zeroes every
/// new page, which takes a seventh of a hash's time. Therefore one area is kept while another
/// thread waits, and freed when none does. libargon2 wipes an area before it frees it.
class HashMemory {
  public:
    HashMemory() noexcept = default;
    HashMemory(const HashMemory&) = delete;
    HashMemory& operator=(const HashMemory&) = delete;
    /// No Lease may exist any more.
    ~HashMemory();

    /// Must exist while a thread waits for a slot and hashes. A thread has at most one.
    class Lease {
      public:
        explicit Lease(HashMemory& memory) noexcept;
        ~Lease();
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

      private:
        friend class HashMemory;
        HashMemory& memory_;
        bool is_waiting_ = true;
    };

    /// Returns an area for this thread's hash: the kept one if it has that size, else a new one.
    /// Returns nullptr if memory runs out.
    static void* allocate(std::size_t size) noexcept;
    static void deallocate(void* area, std::size_t size) noexcept;

  private:
    struct Area {
        void* begin = nullptr;
        std::size_t size = 0;
    };

    /// Ends the wait of the lease's thread. The mutex must be locked.
    void end_waiting(Lease& use) noexcept {
        waiters_ -= std::exchange(use.is_waiting_, false) ? 1 : 0;
    }

    std::mutex mutex_;
    /// The number of threads waiting for an area.
    unsigned waiters_ = 0;
    Area cached_;
};

} // namespace useradmin::password
