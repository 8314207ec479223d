// A robust mutex in shared memory.
#pragma once

#include <pthread.h>

#include <chrono>

namespace useradmin::ipc {

/// A mutex for the threads of several processes. If the owner dies, the next lock() reports it: the
/// protected data may be inconsistent.
class Mutex {
  public:
    /// Initializes the object in zeroed shared memory, before the processes fork. Returns false if
    /// the system refuses.
    [[nodiscard]] bool init() noexcept;

    enum class LockResult { failed, acquired, owner_died };

    /// Blocks without a timeout.
    LockResult lock() noexcept;
    /// Never blocks.
    LockResult try_lock() noexcept;
    /// Blocks until the deadline.
    LockResult try_lock_until(std::chrono::steady_clock::time_point deadline) noexcept;
    /// Must be called by the owner.
    void unlock() noexcept;

  private:
    LockResult result_of(int status) noexcept;

    pthread_mutex_t mutex_;
};

/// Locks a mutex until the end of the scope.
class LockGuard {
  public:
    explicit LockGuard(Mutex& mutex) noexcept : mutex_(mutex), result_(mutex.lock()) {}
    ~LockGuard() { mutex_.unlock(); }
    LockGuard(const LockGuard&) = delete;
    LockGuard& operator=(const LockGuard&) = delete;

    /// Returns whether the previous owner died while holding it.
    bool owner_died() const noexcept { return result_ == Mutex::LockResult::owner_died; }

  private:
    Mutex& mutex_;
    Mutex::LockResult result_;
};

} // namespace useradmin::ipc
