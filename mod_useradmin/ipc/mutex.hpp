#pragma once

#include <pthread.h>

#include <chrono>

namespace useradmin::ipc {

/// A robust mutex for the threads of several processes, for use with std::lock_guard and
/// std::unique_lock. If the owner is killed, the next thread acquires the mutex, so the protected
/// data must be valid at all times.
class Mutex {
  public:
    /// Initializes the object in zeroed shared memory. Call before the processes fork. Returns
    /// false on failure.
    [[nodiscard]] bool init() noexcept;

    /// Acquires the mutex. Blocks without a timeout.
    void lock() noexcept;
    /// Tries to acquire the mutex without blocking. Returns whether it did.
    bool try_lock() noexcept;
    /// Blocks at most until the deadline. Returns whether it acquired the mutex.
    bool try_lock_until(std::chrono::steady_clock::time_point deadline) noexcept;
    /// Releases the mutex. Only the owner may call this function.
    void unlock() noexcept;

  private:
    bool is_locked(int status) noexcept;

    pthread_mutex_t mutex_;
};

} // namespace useradmin::ipc
