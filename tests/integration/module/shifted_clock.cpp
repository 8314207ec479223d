// A library that the tests preload into httpd. It shifts the time of day that APR returns.
#include <apr_time.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>

namespace {

/// Returns the shift in microseconds, from the file that TEST_CLOCK_SHIFT names. The test changes
/// it.
const std::atomic<apr_interval_time_t>& shift() {
    static const auto* const shared = [] {
        const char* const path = std::getenv("TEST_CLOCK_SHIFT");
        const int file = path != nullptr ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        void* const memory =
            mmap(nullptr, sizeof(std::atomic<apr_interval_time_t>), PROT_READ, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED)
            std::abort();
        close(file);
        return static_cast<const std::atomic<apr_interval_time_t>*>(memory);
    }();
    return *shared;
}

/// The parent process creates the mapping, so all children inherit it.
__attribute__((constructor)) void map_shift() {
    shift();
}

} // namespace

extern "C" __attribute__((visibility("default"))) apr_time_t apr_time_now() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return apr_time_make(now.tv_sec, now.tv_nsec / 1000) + shift();
}
