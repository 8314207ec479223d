// Makes all failed sign-ins take the same time.
#pragma once

#include "password/format.hpp"
#include "store/store.hpp"

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace useradmin::sign_in {

/// Collects the hash formats that this process has seen in the database, and the format of new
/// hashes. Every failed attempt hashes once in each format, so the time reveals neither whether the
/// account exists nor the format of its hash. Thread-safe.
class ObservedFormats {
  public:
    using Clock = std::chrono::steady_clock;

    /// Samples the hash formats in the store, at most once every 5 minutes, or 10 seconds after a
    /// failure. tables_id identifies the database and its tables.
    void refresh(store::Store& store, std::string_view tables_id, Clock::time_point now);
    /// Adds a format. Keeps only the most expensive formats.
    void add(const password::Format& format);
    std::vector<password::Format> all() const;

  private:
    mutable std::mutex mutex_;
    std::vector<password::Format> formats_;
    /// By tables_id.
    std::map<std::string, Clock::time_point> next_refreshes_;
};

} // namespace useradmin::sign_in
