#include "httpd/connection_limiter.hpp"

#include <thread>

namespace useradmin::httpd {

namespace {

/// Shorter holds are recorded only if they opened a connection. A thread that has waited no longer
/// than this may always try to connect.
constexpr std::chrono::milliseconds negligible_wait(100);

} // namespace

bool ConnectionLimiter::acquire(store::Deadline deadline) {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_until(lock, deadline, [this] { return permits_ > 0; }))
        return false;
    --permits_;
    return true;
}

void ConnectionLimiter::release() noexcept {
    {
        const std::lock_guard lock(mutex_);
        ++permits_;
    }
    freed_.notify_one();
}

bool ConnectionLimiter::is_slow(store::Clock::time_point now) const noexcept {
    return now < longest_hold_ended_ + 2 * longest_hold_;
}

ConnectionLimiter::PoolLock::PoolLock(ConnectionLimiter& limiter, store::Deadline deadline)
    : limiter_(limiter), deadline_(deadline), lock_(limiter.pool_mutex_, std::defer_lock) {
    wait();
    // While the pool is slow, yield to threads that return connections.
    while (lock_ && limiter_.releases_ != 0 && limiter_.is_slow(store::Clock::now())) {
        lock_.unlock();
        if (store::Clock::now() >= deadline_)
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        wait();
    }
    acquired_at_ = store::Clock::now();
}

ConnectionLimiter::PoolLock::~PoolLock() {
    if (!lock_)
        return;
    const auto now = store::Clock::now();
    const bool is_short = now - acquired_at_ < negligible_wait;
    const bool is_shorter = now - acquired_at_ < limiter_.longest_hold_ && limiter_.is_slow(now);
    if (!has_connected_ && (is_short || is_shorter))
        return;
    limiter_.longest_hold_ = now - acquired_at_;
    limiter_.longest_hold_ended_ = now;
}

void ConnectionLimiter::PoolLock::wait() {
    // The lock is usually held for about a microsecond, so spinning is cheaper than sleeping.
    constexpr int attempts = 100;
    for (int number = 0; !lock_.try_lock() && number < attempts; ++number)
        std::this_thread::yield();
    if (!lock_)
        static_cast<void>(lock_.try_lock_until(deadline_));
}

bool ConnectionLimiter::PoolLock::has_time_to_connect(store::Clock::duration time) const noexcept {
    constexpr std::chrono::seconds tolerance(1);
    return acquired_at_ + time <= deadline_ + negligible_wait || !limiter_.is_slow(acquired_at_) ||
           acquired_at_ + limiter_.longest_hold_ <= deadline_ + tolerance;
}

} // namespace useradmin::httpd
