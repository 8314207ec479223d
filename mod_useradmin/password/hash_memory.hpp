// The memory that hashes are computed in.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

namespace useradmin::password {

/// What libargon2 computes in, of a whole process: as much as a hash asks for, 19 MiB as a rule.
/// The system clears each page that it hands out, which takes a seventh of a hash's time. So one
/// area is kept from hash to hash for as long as another thread waits for its turn, and no longer.
/// libargon2 wipes an area before it gives it back.
class HashMemory {
  public:
    HashMemory() noexcept = default;
    HashMemory(const HashMemory&) = delete;
    HashMemory& operator=(const HashMemory&) = delete;
    /// Nobody uses it any more.
    ~HashMemory();

    /// A thread waits for its turn to hash, and then hashes, as long as this lasts. It has one at a
    /// time.
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

    /// An area for a hash of this thread, from the system where nothing of that size is kept for
    /// it; nullptr where there is none.
    static void* allocate(std::size_t size) noexcept;
    static void deallocate(void* area, std::size_t size) noexcept;

  private:
    struct Area {
        void* begin = nullptr;
        std::size_t size = 0;
    };

    /// The thread of the use no longer waits; while its memory is locked.
    void end_waiting(Lease& use) noexcept {
        waiters_ -= std::exchange(use.is_waiting_, false) ? 1 : 0;
    }

    std::mutex mutex_;
    /// How many threads wait for an area.
    unsigned waiters_ = 0;
    Area cached_;
};

} // namespace useradmin::password
