// What ThreadSanitizer of g++ 12 and clang 14 does not know: who waits for a mutex by the steady
// clock. It would take the mutex for an unlocked one.
#if defined(__SANITIZE_THREAD__)

#include <pthread.h>

#include <cerrno>
#include <ctime>

// Found before glibc's own, since the program's names come before those of its libraries.

extern "C" int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                       const timespec* until) noexcept {
    while (true) {
        const int status = pthread_mutex_trylock(mutex);
        timespec now{};
        clock_gettime(clock, &now);
        const bool is_late = now.tv_sec > until->tv_sec ||
                             (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
        if (status != EBUSY)
            return status;
        if (is_late)
            return ETIMEDOUT;
        constexpr timespec pause{0, 1'000'000};
        nanosleep(&pause, nullptr);
    }
}

#endif
