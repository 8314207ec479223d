#include "ipc/mutex.hpp"

#include "ipc/monotonic_time.hpp"

#include <cerrno>

namespace useradmin::ipc {

bool Mutex::lay_out() noexcept {
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0)
        return false;
    const bool is_ready = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0 &&
                          pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0 &&
                          pthread_mutex_init(&mutex_, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return is_ready;
}

Mutex::Taken Mutex::taken(int status) noexcept {
    if (status == EOWNERDEAD)
        return pthread_mutex_consistent(&mutex_) == 0 ? Taken::from_the_dead : Taken::no;
    return status == 0 ? Taken::yes : Taken::no;
}

Mutex::Taken Mutex::lock() noexcept {
    return taken(pthread_mutex_lock(&mutex_));
}

Mutex::Taken Mutex::try_lock() noexcept {
    return taken(pthread_mutex_trylock(&mutex_));
}

Mutex::Taken Mutex::lock_until(std::chrono::steady_clock::time_point deadline) noexcept {
    const timespec until = since_boot(deadline);
    return taken(pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &until));
}

void Mutex::unlock() noexcept {
    pthread_mutex_unlock(&mutex_);
}

} // namespace useradmin::ipc
