// How long work may wait for a database.
#pragma once

#include <chrono>

namespace useradmin::store {

using Clock = std::chrono::steady_clock;
/// Until when something may be waited for.
using Deadline = Clock::time_point;
inline constexpr Deadline no_deadline = Deadline::max();

struct Patience {
    /// In all: for a connection, while another process has the database locked, and for answers.
    std::chrono::milliseconds wait;
    /// Whether that bounds answers, of which one that does not come in time is given up, together
    /// with its connection. A tool waits for answers without end, and for each lock that long.
    bool ends_statements = true;
};

/// What is left of the time that a request may wait for its database.
class Allowance {
  public:
    explicit Allowance(const Patience& patience) noexcept
        : left_(patience.wait), counts_(patience.ends_statements) {}

    /// Counts from here to the end of the scope. One within another counts once.
    class Use {
      public:
        explicit Use(Allowance& allowance) noexcept
            : allowance_(allowance), begun_(Clock::now()),
              is_outermost_(allowance.counts_ && allowance.deadline_ == no_deadline),
              deadline_(allowance.deadline_ == no_deadline ? begun_ + allowance.left_
                                                           : allowance.deadline_) {
            if (is_outermost_)
                allowance_.deadline_ = deadline_;
        }
        ~Use() {
            if (!is_outermost_)
                return;
            allowance_.left_ -= Clock::now() - begun_;
            allowance_.deadline_ = no_deadline;
        }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

        Deadline deadline() const noexcept { return deadline_; }

      private:
        Allowance& allowance_;
        Clock::time_point begun_;
        bool is_outermost_;
        Deadline deadline_;
    };

  private:
    Clock::duration left_;
    bool counts_;
    Deadline deadline_ = no_deadline;
};

} // namespace useradmin::store
