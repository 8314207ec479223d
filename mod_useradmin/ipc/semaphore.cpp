#include "ipc/semaphore.hpp"

#include "ipc/monotonic_time.hpp"

namespace useradmin::ipc {

bool Signal::lay_out() noexcept {
    constexpr int by_processes = 1;
    return sem_init(&semaphore_, by_processes, 0) == 0;
}

void Signal::give() noexcept {
    int kept = 0;
    if (sem_getvalue(&semaphore_, &kept) == 0 && kept == 0)
        sem_post(&semaphore_);
}

void Signal::wait_until(std::chrono::steady_clock::time_point deadline) noexcept {
    const timespec until = since_boot(deadline);
    sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &until);
}

} // namespace useradmin::ipc
