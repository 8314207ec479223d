// Retries of statements whose lock_timeout has expired.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/display.hpp"

#include <chrono>
#include <thread>

namespace useradmin::ctl {

// Each attempt to acquire the lock may block other sessions for up to two seconds. The pauses let
// them proceed.
inline constexpr int max_lock_attempts = 100;
inline constexpr std::chrono::seconds lock_retry_delay(1);

/// Returns the result of an attempt that sets a lock_timeout. Retries after a LockTimeout, and
/// throws CommandError after 100 attempts.
template <class Attempt>
auto retry_locked(Attempt attempt) {
    const Progress progress("Waiting for the user table");
    for (int attempts_left = max_lock_attempts; attempts_left > 0; --attempts_left) {
        try {
            return attempt();
        } catch (const LockTimeout&) {
            std::this_thread::sleep_for(lock_retry_delay);
        }
    }
    throw CommandError("other sessions keep the user table locked; end their long transactions "
                       "(see pg_stat_activity), then run the command again");
}

} // namespace useradmin::ctl
