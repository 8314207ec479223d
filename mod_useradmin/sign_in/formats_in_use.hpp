// What a failed attempt to sign in costs, whoever it is for.
#pragma once

#include "password/format.hpp"
#include "store/store.hpp"

#include <chrono>
#include <mutex>
#include <string_view>
#include <vector>

namespace useradmin::sign_in {

/// The work of the password hashes that the database holds, as far as this process has seen them.
/// Every failed attempt does each of them once: the account's own by verifying, the others for
/// nothing. So the time tells nobody whether there is such an account, or how it is hashed. Safe to
/// use from many threads.
class FormatsInUse {
  public:
    using Clock = std::chrono::steady_clock;

    /// Looks at the database where that was not done for a few minutes.
    void look(store::Store& store, Clock::time_point now);
    /// Takes note of a format, unless it is known. No more than a few are kept, the costliest.
    void note(const password::Format& format);
    /// All that were noted.
    std::vector<password::Format> all() const;

  private:
    mutable std::mutex mutex_;
    std::vector<password::Format> formats_;
    Clock::time_point next_look_ = Clock::time_point::min();
};

} // namespace useradmin::sign_in
