// Totals of filters, shared by all children.
#pragma once

#include "store/totals.hpp"
#include "text/logger.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace useradmin::httpd {

/// The totals of a database and its tables, for one request, in shared memory of a fixed size:
/// 1,024 totals, the oldest of which are replaced. Requests that arrive while a total is being
/// counted share the next count, which begins after a short delay so that more requests can join.
/// If the counting process is killed, the next waiter counts.
class SharedTotals final : public store::Totals {
  public:
    /// Returns the size in bytes.
    static std::size_t size_of() noexcept;

    /// Initializes shared memory of size_of() bytes, aligned for any type. The caller owns the
    /// memory, which must outlive the object. To be called once, before the processes fork. Returns
    /// false if the system refuses.
    static bool init(void* memory) noexcept;

    /// The context of a request.
    struct Options {
        /// Identifies the database and its tables. Must outlive the object.
        std::string_view place;
        /// The maximum age of a total; 0: totals are not kept.
        std::chrono::seconds age;
        /// How long a request waits, for the log.
        std::chrono::milliseconds timeout;
        /// The directive that sets the wait, for the log.
        const char* timeout_directive;
    };

    /// The totals in memory that init prepared.
    SharedTotals(void* memory, const Options& options, text::Logger& log) noexcept
        : memory_(memory), options_(options), log_(log) {}

    bool is_caching() const noexcept override { return options_.age.count() > 0; }
    store::Result<std::int64_t> total(const store::Filter& filter, store::Deadline deadline,
                                      const Count& count) override;
    /// Applies to all databases: different parameters may name the same one.
    void invalidate() noexcept override { forget(memory_); }
    /// As above, but takes no lock: also for a less trusted process.
    static void forget(void* memory) noexcept;

  private:
    void* memory_;
    Options options_;
    text::Logger& log_;
};

} // namespace useradmin::httpd
