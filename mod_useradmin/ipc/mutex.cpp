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

bool Mutex::is_locked(int status) noexcept {
    return status == EOWNERDEAD ? pthread_mutex_consistent(&mutex_) == 0 : status == 0;
}

void Mutex::lock() noexcept {
    is_locked(pthread_mutex_lock(&mutex_));
}

bool Mutex::try_lock() noexcept {
    return is_locked(pthread_mutex_trylock(&mutex_));
}

bool Mutex::try_lock_until(std::chrono::steady_clock::time_point deadline) noexcept {
    const timespec until = to_timespec(deadline);
    return is_locked(pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &until));
}

void Mutex::unlock() noexcept {
    pthread_mutex_unlock(&mutex_);
}

} // namespace useradmin::ipc
