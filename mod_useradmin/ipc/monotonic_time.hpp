#pragma once

#include <chrono>
#include <ctime>

namespace useradmin::ipc {

/// Converts a deadline for system calls that use CLOCK_MONOTONIC, the clock of steady_clock.
inline timespec to_timespec(std::chrono::steady_clock::time_point time) noexcept {
    const auto whole = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
    timespec spec{};
    spec.tv_sec = static_cast<decltype(spec.tv_sec)>(whole.count());
    spec.tv_nsec = static_cast<decltype(spec.tv_nsec)>(
        std::chrono::nanoseconds(time.time_since_epoch() - whole).count());
    return spec;
}

} // namespace useradmin::ipc
