// What a failed attempt to sign in costs, whoever it is for.
#pragma once

#include "password/format.hpp"
#include "store/store.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::sign_in {

/// The work of the password hashes that the database holds, as far as this process has seen them.
/// Every failed attempt does each of them once: the account's own by verifying, the others for
/// nothing. So the time tells nobody whether there is such an account, or how it is hashed. Safe to
/// use from many threads.
class ObservedFormats {
  public:
    using Clock = std::chrono::steady_clock;

    /// Looks at the store where that was not done for a few minutes. The place tells its database
    /// and its tables from others.
    void refresh(store::Store& store, std::string_view place, Clock::time_point now);
    /// Takes note of a format, unless it is known. No more than a few are kept, the costliest.
    void add(const password::Format& format);
    /// All that were noted.
    std::vector<password::Format> all() const;

  private:
    struct NextRefresh {
        std::string place;
        Clock::time_point time = Clock::time_point::min();
    };

    /// Of the place. The mutex is held.
    Clock::time_point& next_refresh_at(std::string_view place);

    mutable std::mutex mutex_;
    std::vector<password::Format> formats_;
    /// As many as the configuration names sets of tables.
    std::vector<NextRefresh> next_refreshes_;
};

} // namespace useradmin::sign_in
