// Bounds how many hashes the whole server computes at once, and how many requests wait to.
#pragma once

#include "password/hash_memory.hpp"
#include "shared/counter.hpp"
#include "text/log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

namespace useradmin::password {

/// A fixed number of slots in memory that processes share, and a queue of a fixed number of places
/// before them; whoever computes a hash holds a slot, whoever waits for one a place, and slots go
/// to those who have waited longest. What a process held that was killed comes free by itself (each
/// slot and place is a robust mutex). The object is one request's way to them.
class Slots {
  public:
    /// How many there are; at least one of each.
    struct Bounds {
        unsigned slots;
        unsigned places;
    };

    /// How many bytes of shared memory so many need.
    static std::size_t size_of(const Bounds& bounds) noexcept;

    /// Lays them out in shared, zeroed memory of size_of(bounds) bytes, aligned for any type. The
    /// memory belongs to the caller and outlives the object. Called once, before the processes
    /// fork; false where the system refuses.
    static bool lay_out(void* memory, const Bounds& bounds) noexcept;

    /// How many of them are held by processes that are running.
    static Bounds in_use(const void* memory) noexcept;
    /// How many there are.
    static Bounds bounds(const void* memory) noexcept;

    /// What a request waits with.
    struct Terms {
        /// The longest that it waits.
        std::chrono::milliseconds wait;
        /// The directive that sets it, for the log.
        const char* wait_directive;
        /// Count how often the queue was full, and how often no slot came free in time; nullptr
        /// where nobody asks.
        shared::Counter* full = nullptr;
        shared::Counter* late = nullptr;
        /// What whoever holds a slot hashes in, of this process; nullptr: what the system gives.
        HashMemory* memory = nullptr;
    };

    /// The slots in memory that lay_out prepared.
    Slots(void* memory, const Terms& terms, text::Log& log) noexcept
        : memory_(memory), terms_(terms), log_(&log) {}

    /// A slot that is held until this goes, by the thread that took it.
    class Held {
      public:
        Held(Held&& other) noexcept;
        Held& operator=(Held&&) = delete;
        ~Held();

      private:
        friend class Slots;
        Held(void* memory, void* slot, std::unique_ptr<HashMemory::Use> use) noexcept
            : memory_(memory), slot_(slot), use_(std::move(use)) {}
        void* memory_;
        void* slot_;
        std::unique_ptr<HashMemory::Use> use_;
    };

    /// Why there is none.
    enum class NoSlot {
        queue_full,  ///< told at once
        not_in_time, ///< none came free while it waited
    };

    /// Takes a slot, waiting in the queue where none is free. The log has why there was none.
    std::variant<Held, NoSlot> acquire();

  private:
    void* memory_;
    Terms terms_;
    text::Log* log_;
};

} // namespace useradmin::password
