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
    class Use {
      public:
        explicit Use(HashMemory& memory) noexcept;
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

      private:
        friend class HashMemory;
        HashMemory& memory_;
        bool is_waiting_ = true;
    };

    /// An area for a hash of this thread, from the system where nothing of that size is kept for
    /// it; nullptr where there is none.
    static void* take(std::size_t size) noexcept;
    static void give_back(void* area, std::size_t size) noexcept;

  private:
    struct Area {
        void* begin = nullptr;
        std::size_t size = 0;
    };

    /// The thread of the use no longer waits; while its memory is locked.
    void end_waiting(Use& use) noexcept {
        waiting_ -= std::exchange(use.is_waiting_, false) ? 1 : 0;
    }

    std::mutex mutex_;
    /// How many threads wait for an area.
    unsigned waiting_ = 0;
    Area kept_;
};

} // namespace useradmin::password
