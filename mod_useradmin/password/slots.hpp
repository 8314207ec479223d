// Bounds how many hashes the whole server computes at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace useradmin::password {

/// A fixed number of slots in memory that processes share; whoever computes a hash holds one. A
/// slot whose holder was killed comes free by itself (each is a robust mutex).
class Slots {
  public:
    /// How many bytes of shared memory a number of slots needs.
    static std::size_t size_of(unsigned count) noexcept;

    /// Lays the slots out in shared, zeroed memory of size_of(count) bytes, aligned for any type.
    /// The memory belongs to the caller and outlives the object. Called once, before the processes
    /// fork; false where the system refuses.
    static bool lay_out(void* memory, unsigned count) noexcept;

    /// The slots in memory that lay_out prepared.
    explicit Slots(void* memory) noexcept : memory_(memory) {}

    /// A slot that is held until this goes, by the thread that took it.
    class Held {
      public:
        Held(Held&& other) noexcept;
        Held& operator=(Held&&) = delete;
        ~Held();

      private:
        friend class Slots;
        explicit Held(void* mutex) noexcept : mutex_(mutex) {}
        void* mutex_;
    };

    /// Takes a slot, waiting for one no longer than the timeout; nothing where none came free.
    std::optional<Held> acquire(std::chrono::milliseconds timeout) noexcept;

  private:
    void* memory_;
};

} // namespace useradmin::password
