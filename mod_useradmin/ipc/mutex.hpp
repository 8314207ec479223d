// A mutex in memory that processes share.
#pragma once

#include <pthread.h>

#include <chrono>

namespace useradmin::ipc {

/// Excludes the threads of all processes that share its memory. Whoever is killed while holding it
/// leaves it to the next one, who is told: what it guards may be half done then.
class Mutex {
  public:
    /// Readies it, in zeroed memory that all processes share, before they fork; false where the
    /// system refuses.
    [[nodiscard]] bool init() noexcept;

    enum class LockResult { failed, acquired, owner_died };

    /// Waits for as long as it takes.
    LockResult lock() noexcept;
    /// Does not wait.
    LockResult try_lock() noexcept;
    /// Waits until that time.
    LockResult try_lock_until(std::chrono::steady_clock::time_point deadline) noexcept;
    /// By the thread that took it.
    void unlock() noexcept;

  private:
    LockResult result_of(int status) noexcept;

    pthread_mutex_t mutex_;
};

/// Holds a mutex until the end of the scope.
class LockGuard {
  public:
    explicit LockGuard(Mutex& mutex) noexcept : mutex_(mutex), result_(mutex.lock()) {}
    ~LockGuard() { mutex_.unlock(); }
    LockGuard(const LockGuard&) = delete;
    LockGuard& operator=(const LockGuard&) = delete;

    /// Whether who held it before was killed meanwhile.
    bool owner_died() const noexcept { return result_ == Mutex::LockResult::owner_died; }

  private:
    Mutex& mutex_;
    Mutex::LockResult result_;
};

} // namespace useradmin::ipc
