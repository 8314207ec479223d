#include "ipc/semaphore.hpp"

#include "ipc/monotonic_time.hpp"

namespace useradmin::ipc {

bool Semaphore::init() noexcept {
    constexpr int process_shared = 1;
    return sem_init(&semaphore_, process_shared, 0) == 0;
}

void Semaphore::post() noexcept {
    int value = 0;
    if (sem_getvalue(&semaphore_, &value) == 0 && value == 0)
        sem_post(&semaphore_);
}

void Semaphore::wait_until(std::chrono::steady_clock::time_point deadline) noexcept {
    const timespec until = to_timespec(deadline);
    sem_clockwait(&semaphore_, CLOCK_MONOTONIC, &until);
}

} // namespace useradmin::ipc
