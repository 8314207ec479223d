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
    /// How long others have waited on behalf of the same request, which counts as well and is added
    /// to; nullptr where there are no others.
    Clock::duration* waited = nullptr;
};

/// What is left of the time that a request may wait for its database.
class Allowance {
  public:
    explicit Allowance(const Patience& patience) noexcept
        : wait_(patience.wait), waited_(patience.waited != nullptr ? *patience.waited : own_),
          counts_(patience.ends_statements) {}
    Allowance(const Allowance&) = delete;
    Allowance& operator=(const Allowance&) = delete;

    /// Counts from here to the end of the scope. One within another counts once.
    class Use {
      public:
        explicit Use(Allowance& allowance) noexcept
            : allowance_(allowance), begun_(Clock::now()),
              is_outermost_(allowance.counts_ && allowance.deadline_ == no_deadline),
              deadline_(allowance.deadline_ == no_deadline
                            ? begun_ + allowance.wait_ - allowance.waited_
                            : allowance.deadline_) {
            if (is_outermost_)
                allowance_.deadline_ = deadline_;
        }
        ~Use() {
            if (!is_outermost_)
                return;
            allowance_.waited_ += Clock::now() - begun_;
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
    Clock::duration wait_;
    Clock::duration own_{0};
    Clock::duration& waited_;
    bool counts_;
    Deadline deadline_ = no_deadline;
};

} // namespace useradmin::store
