// A robust mutex in shared memory.
#pragma once

#include <pthread.h>

#include <chrono>

namespace useradmin::ipc {

/// A mutex for the threads of several processes, for use with std::lock_guard and std::unique_lock.
/// If the owner is killed, the next thread acquires it, so the protected data must be valid at all
/// times.
class Mutex {
  public:
    /// Initializes the object in zeroed shared memory, before the processes fork. Returns false on
    /// failure.
    [[nodiscard]] bool init() noexcept;

    /// Acquires the mutex. Blocks without a timeout.
    void lock() noexcept;
    /// Returns whether it acquired the mutex. Never blocks.
    bool try_lock() noexcept;
    /// Blocks until the deadline at the latest. Returns whether it acquired the mutex.
    bool try_lock_until(std::chrono::steady_clock::time_point deadline) noexcept;
    /// Releases the mutex. Only the owner may call it.
    void unlock() noexcept;

  private:
    bool is_locked(int status) noexcept;

    pthread_mutex_t mutex_;
};

} // namespace useradmin::ipc
