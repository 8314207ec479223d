// A signal in memory that processes share.
#pragma once

#include <semaphore.h>

#include <chrono>

namespace useradmin::ipc {

/// Wakes the one who waits for it, in whichever process. One that is given while nobody waits is
/// kept for whoever waits next; one given for nothing, or lost with who was killed, is part of the
/// bargain: who is woken looks for himself, and waits for a while at a time.
class Semaphore {
  public:
    /// Readies it, in zeroed memory that all processes share, before they fork; false where the
    /// system refuses.
    [[nodiscard]] bool init() noexcept;

    /// Does not wait.
    void post() noexcept;
    /// Waits until it is given, or until that time.
    void wait_until(std::chrono::steady_clock::time_point deadline) noexcept;

  private:
    sem_t semaphore_;
};

} // namespace useradmin::ipc
