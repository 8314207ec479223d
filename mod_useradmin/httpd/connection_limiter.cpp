#include "httpd/connection_limiter.hpp"

#include <thread>

namespace useradmin::httpd {

namespace {

/// What is no time to speak of.
constexpr std::chrono::milliseconds hardly(100);

} // namespace

bool Gate::enter(store::Deadline deadline) {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_until(lock, deadline, [this] { return permits_ > 0; }))
        return false;
    --permits_;
    return true;
}

void Gate::leave() noexcept {
    {
        const std::lock_guard lock(mutex_);
        ++permits_;
    }
    freed_.notify_one();
}

bool Gate::is_troubled(store::Clock::time_point now) const noexcept {
    return now < longest_turn_ended_ + 2 * longest_turn_;
}

Gate::Turn::Turn(Gate& gate, store::Deadline deadline, bool goes_first)
    : gate_(gate), deadline_(deadline), goes_first_(goes_first),
      lock_(gate.turn_, std::defer_lock) {
    if (goes_first_)
        ++gate_.first_;
    wait();
    // While turns are short, it matters to nobody.
    while (lock_ && !goes_first_ && gate_.first_ != 0 && gate_.is_troubled(store::Clock::now())) {
        lock_.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        wait();
    }
    begun_ = store::Clock::now();
}

Gate::Turn::~Turn() {
    if (goes_first_)
        --gate_.first_;
    if (!lock_)
        return;
    const auto now = store::Clock::now();
    const bool is_short = now - begun_ < hardly;
    const bool is_shorter = now - begun_ < gate_.longest_turn_ && gate_.is_troubled(now);
    if (!has_connected_ && (is_short || is_shorter))
        return;
    gate_.longest_turn_ = now - begun_;
    gate_.longest_turn_ended_ = now;
}

void Gate::Turn::wait() {
    // A turn takes a microsecond as a rule: less than to fall asleep and be woken.
    constexpr int tries = 100;
    for (int number = 0; !lock_.try_lock() && number < tries; ++number)
        std::this_thread::yield();
    if (lock_)
        return;
    if (deadline_ == store::no_deadline)
        lock_.lock();
    else
        static_cast<void>(lock_.try_lock_until(deadline_));
}

bool Gate::Turn::is_long_enough(store::Clock::duration time) const noexcept {
    constexpr std::chrono::seconds give_or_take(1);
    return begun_ + time <= deadline_ + hardly || !gate_.is_troubled(begun_) ||
           begun_ + gate_.longest_turn_ <= deadline_ + give_or_take;
}

} // namespace useradmin::httpd
