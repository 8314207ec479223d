// A replacement for pthread_mutex_clocklock(). ThreadSanitizer in g++ 12 and clang 14 does not
// intercept glibc's function and would treat the mutex as unlocked.
#if defined(__SANITIZE_THREAD__)

#include <pthread.h>

#include <cerrno>
#include <ctime>

// The dynamic linker searches the program first, so this replaces glibc's function.

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
