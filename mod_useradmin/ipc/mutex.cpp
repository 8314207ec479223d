#include "ipc/mutex.hpp"

#include "ipc/monotonic_time.hpp"

#include <cerrno>

namespace useradmin::ipc {

bool Mutex::init() noexcept {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0)
        return false;
    const bool is_ready = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                          pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
                          pthread_mutex_init(&mutex_, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return is_ready;
}

Mutex::LockResult Mutex::result_of(int status) noexcept {
    if (status == EOWNERDEAD)
        return pthread_mutex_consistent(&mutex_) == 0 ? LockResult::owner_died : LockResult::failed;
    return status == 0 ? LockResult::acquired : LockResult::failed;
}

Mutex::LockResult Mutex::lock() noexcept {
    return result_of(pthread_mutex_lock(&mutex_));
}

Mutex::LockResult Mutex::try_lock() noexcept {
    return result_of(pthread_mutex_trylock(&mutex_));
}

Mutex::LockResult Mutex::try_lock_until(std::chrono::steady_clock::time_point deadline) noexcept {
    const timespec until = to_timespec(deadline);
    return result_of(pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &until));
}

void Mutex::unlock() noexcept {
    pthread_mutex_unlock(&mutex_);
}

} // namespace useradmin::ipc
