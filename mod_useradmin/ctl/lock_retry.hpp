// Statements that wait briefly for a lock and are retried, so that they do not block other
// sessions.
#pragma once

#include "ctl/command_error.hpp"
#include "ctl/display.hpp"

#include <chrono>
#include <thread>

namespace useradmin::ctl {

// Each attempt to acquire the lock may block other sessions for up to two seconds. The pauses let
// them proceed.
inline constexpr int tries_for_lock = 100;
inline constexpr std::chrono::seconds pause_between_tries(1);

/// Returns the result of an attempt that sets a lock_timeout. Retries after a LockTimeout, and
/// throws CommandError after 100 attempts.
template <class Attempt>
auto retry_locked(Attempt attempt) {
    const Progress progress("Waiting for the user table");
    for (int tries_left = tries_for_lock; tries_left > 0; --tries_left) {
        try {
            return attempt();
        } catch (const LockTimeout&) {
            std::this_thread::sleep_for(pause_between_tries);
        }
    }
    throw CommandError("other sessions keep the user table locked; end their long transactions "
                       "(see pg_stat_activity), then run the command again");
}

} // namespace useradmin::ctl
