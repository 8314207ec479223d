// Checks whether a process is running.
#pragma once

#include <cerrno>
#include <csignal>
#include <sys/types.h>

namespace useradmin::ipc {

/// Returns whether the process exists. 0 means no process.
inline bool is_running(pid_t process) noexcept {
    return process > 0 && (kill(process, 0) == 0 || errno != ESRCH);
}

} // namespace useradmin::ipc
