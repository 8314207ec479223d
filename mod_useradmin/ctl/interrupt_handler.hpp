// Handles signals such as SIGINT during a long command.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <csignal>

namespace useradmin::ctl {

/// While the object exists, SIGINT, SIGTERM or SIGHUP prints what was done and terminates the
/// program. Signals that were ignored stay ignored.
class InterruptHandler {
  public:
    /// describe: returns what was done and how to continue. Called on another thread. The argument
    /// is true if a lock from delay() is still held after five seconds.
    InterruptHandler(bool wants_json, std::function<std::string(bool)> describe);
    ~InterruptHandler();

    /// Delays signals while the returned lock is held, for at most five seconds. Hold it when
    /// changing data that describe() reads.
    [[nodiscard]] std::unique_lock<std::timed_mutex> delay() { return std::unique_lock(mutex_); }

  private:
    void wait();

    bool wants_json_;
    std::function<std::string(bool)> describe_;
    std::timed_mutex mutex_;
    sigset_t mask_ = {};
    sigset_t signals_ = {};
    std::thread thread_;
};

} // namespace useradmin::ctl
