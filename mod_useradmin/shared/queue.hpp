// A queue that processes share.
#pragma once

#include <chrono>
#include <cstddef>
#include <variant>

namespace useradmin::shared {

/// A fixed number of slots in memory that processes share, and a fixed number of places to wait for
/// one; slots go to those who have waited longest. What a process held that was killed comes free
/// by itself (each slot and place is a robust mutex). The object is one way to them.
class Queue {
  public:
    /// How many there are; at least one of each.
    struct Bounds {
        unsigned slots;
        unsigned places;
    };

    /// How many bytes of shared memory so many need; the memory of another one may follow.
    static std::size_t size_of(const Bounds& bounds) noexcept;

    /// Lays them out in shared, zeroed memory of size_of(bounds) bytes, aligned for any type. The
    /// memory belongs to the caller and outlives the object. Called once, before the processes
    /// fork; false where the system refuses.
    static bool lay_out(void* memory, const Bounds& bounds) noexcept;

    /// How many of them are held by processes that are running.
    static Bounds in_use(const void* memory) noexcept;
    /// How many there are.
    static Bounds bounds(const void* memory) noexcept;

    /// The queue in memory that lay_out prepared.
    explicit Queue(void* memory) noexcept : memory_(memory) {}

    /// A slot that is held until this goes, by the thread that took it.
    class Held {
      public:
        Held(Held&& other) noexcept;
        Held& operator=(Held&&) = delete;
        ~Held();

      private:
        friend class Queue;
        Held(void* memory, void* slot) noexcept : memory_(memory), slot_(slot) {}
        void* memory_;
        void* slot_;
    };

    /// Why there is none.
    enum class NoSlot {
        queue_full,  ///< told at once
        not_in_time, ///< none came free while it waited
    };

    /// Takes a slot, waiting for that long in a place where none is free.
    std::variant<Held, NoSlot> acquire(std::chrono::milliseconds wait) noexcept;

  private:
    void* memory_;
};

} // namespace useradmin::shared
