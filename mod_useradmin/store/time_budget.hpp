// Time limits of database operations.
#pragma once

#include <chrono>

namespace useradmin::store {

using Clock = std::chrono::steady_clock;
/// The time at which a wait expires.
using Deadline = Clock::time_point;
inline constexpr Deadline no_deadline = Deadline::max();

struct TimeoutPolicy {
    /// The total wait for a connection, locks and responses.
    std::chrono::milliseconds timeout;
    /// Whether the limit also applies to responses. If so, a timeout closes a PostgreSQL
    /// connection. If not (useradminctl), responses have no time limit, and the limit applies to
    /// the locks of each operation separately.
    bool applies_to_statements = true;
    /// If not nullptr, the time that the request has already used. Counts toward the limit, and is
    /// updated.
    Clock::duration* elapsed = nullptr;
    /// The directive that sets the limit, for log lines, or nullptr if there is none.
    const char* directive = nullptr;
};

/// Tracks the remaining time that a request may wait for the database.
class TimeBudget {
  public:
    explicit TimeBudget(const TimeoutPolicy& policy) noexcept
        : timeout_(policy.timeout),
          elapsed_(policy.elapsed != nullptr ? *policy.elapsed : own_elapsed_),
          is_enforced_(policy.applies_to_statements) {}
    TimeBudget(const TimeBudget&) = delete;
    TimeBudget& operator=(const TimeBudget&) = delete;

    /// Adds the time until the end of the scope to the time used. Nested scopes count only once.
    class Scope {
      public:
        explicit Scope(TimeBudget& budget) noexcept
            : budget_(budget), started_(Clock::now()),
              is_outermost_(budget.is_enforced_ && budget.deadline_ == no_deadline),
              deadline_(budget.deadline_ == no_deadline
                            ? started_ + budget.timeout_ - budget.elapsed_
                            : budget.deadline_) {
            if (is_outermost_)
                budget_.deadline_ = deadline_;
        }
        ~Scope() {
            if (!is_outermost_)
                return;
            budget_.elapsed_ += Clock::now() - started_;
            budget_.deadline_ = no_deadline;
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

        Deadline deadline() const noexcept { return deadline_; }

      private:
        TimeBudget& budget_;
        Clock::time_point started_;
        bool is_outermost_;
        Deadline deadline_;
    };

  private:
    Clock::duration timeout_;
    Clock::duration own_elapsed_{0};
    Clock::duration& elapsed_;
    bool is_enforced_;
    Deadline deadline_ = no_deadline;
};

} // namespace useradmin::store
