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
    /// Whether an answer that does not come in time is given up, together with its connection.
    bool ends_statements = true;
};

/// What is left of the time that a request may wait for its database.
class Allowance {
  public:
    explicit Allowance(std::chrono::milliseconds whole) noexcept : left_(whole) {}

    /// Counts from here to the end of the scope. One within another counts once.
    class Use {
      public:
        explicit Use(Allowance& allowance) noexcept
            : allowance_(allowance), begun_(Clock::now()),
              is_outermost_(allowance.deadline_ == no_deadline) {
            if (is_outermost_)
                allowance_.deadline_ = begun_ + allowance_.left_;
        }
        ~Use() {
            if (!is_outermost_)
                return;
            allowance_.left_ -= Clock::now() - begun_;
            allowance_.deadline_ = no_deadline;
        }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

        Deadline deadline() const noexcept { return allowance_.deadline_; }

      private:
        Allowance& allowance_;
        Clock::time_point begun_;
        bool is_outermost_;
    };

  private:
    Clock::duration left_;
    Deadline deadline_ = no_deadline;
};

} // namespace useradmin::store
