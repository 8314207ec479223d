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
    [[nodiscard]] bool lay_out() noexcept;

    enum class Taken { no, yes, from_the_dead };

    /// Waits for as long as it takes.
    Taken lock() noexcept;
    /// Does not wait.
    Taken try_lock() noexcept;
    /// Waits until that time.
    Taken lock_until(std::chrono::steady_clock::time_point deadline) noexcept;
    /// By the thread that took it.
    void unlock() noexcept;

  private:
    Taken taken(int status) noexcept;

    pthread_mutex_t mutex_;
};

/// Holds a mutex until the end of the scope.
class Lock {
  public:
    explicit Lock(Mutex& mutex) noexcept : mutex_(mutex), taken_(mutex.lock()) {}
    ~Lock() { mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    /// Whether who held it before was killed meanwhile.
    bool is_from_the_dead() const noexcept { return taken_ == Mutex::Taken::from_the_dead; }

  private:
    Mutex& mutex_;
    Mutex::Taken taken_;
};

} // namespace useradmin::ipc
