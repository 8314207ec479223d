// A wakeup for one waiter, in shared memory.
#pragma once

#include <semaphore.h>

#include <chrono>

namespace useradmin::ipc {

/// Wakes one waiting thread of any process. A notification without a waiter is kept for the next
/// one. Wakeups may be spurious or lost: check the condition again, and wait for a limited time.
class Semaphore {
  public:
    /// Initializes the object in zeroed shared memory, before the processes fork. Returns false if
    /// the system refuses.
    [[nodiscard]] bool init() noexcept;

    /// Never blocks.
    void post() noexcept;
    /// Blocks until notified or until the deadline.
    void wait_until(std::chrono::steady_clock::time_point deadline) noexcept;

  private:
    sem_t semaphore_;
};

} // namespace useradmin::ipc
