#include "ipc/event.hpp"

#include "ipc/monotonic_time.hpp"

#include <limits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace useradmin::ipc {

namespace {

#ifdef SYS_futex_time64
// Use the system call that matches the size of time_t.
constexpr long futex = sizeof(time_t) > sizeof(long) ? SYS_futex_time64 : SYS_futex;
#else
constexpr long futex = SYS_futex;
#endif

} // namespace

void Event::notify_all() noexcept {
    ++generation_;
    syscall(futex, &generation_, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

void Event::wait_until(Generation observed,
                       std::chrono::steady_clock::time_point deadline) noexcept {
    const timespec until = to_timespec(deadline);
    syscall(futex, &generation_, FUTEX_WAIT_BITSET, observed, &until, nullptr,
            FUTEX_BITSET_MATCH_ANY);
}

} // namespace useradmin::ipc
