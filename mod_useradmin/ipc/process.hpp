#pragma once

#include <cerrno>
#include <csignal>
#include <sys/types.h>

namespace useradmin::ipc {

/// Returns whether a process with this ID exists. Returns false for 0.
inline bool is_running(pid_t process) noexcept {
    return process > 0 && (kill(process, 0) == 0 || errno != ESRCH);
}

} // namespace useradmin::ipc
