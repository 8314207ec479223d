// Totals of filters, for all children together.
#pragma once

#include "store/totals.hpp"
#include "text/logger.hpp"

#include <chrono>
#include <cstddef>
#include <string_view>

namespace useradmin::httpd {

/// The totals of one place (a database and its tables), for the length of one request, in shared
/// memory of a fixed size: 1,024 totals, of which the oldest make room for others. Where a filter's
/// total is being counted, whoever asks for it meanwhile waits for the next count, which all who
/// wait share, and which begins a moment later, so that those come who have just had the last one.
/// A process that is killed in the middle leaves its count to the next who waits.
class SharedTotals final : public store::Totals {
  public:
    /// How many bytes of shared memory the totals need.
    static std::size_t size_of() noexcept;

    /// Lays them out in shared memory of size_of() bytes, aligned for any type. The memory belongs
    /// to the caller and outlives the object. Called once, before the processes fork; false where
    /// the system refuses.
    static bool init(void* memory) noexcept;

    /// What totals are asked for with.
    struct Options {
        /// Tells the database and its tables from others; lives as long as the object.
        std::string_view place;
        /// How long ago a total may have been counted; 0: none is kept.
        std::chrono::seconds age;
        /// How long a request waits in all, for the log.
        std::chrono::milliseconds timeout;
        /// The directive that sets it, for the log.
        const char* timeout_directive;
    };

    /// The totals in memory that init prepared.
    SharedTotals(void* memory, const Options& options, text::Logger& log) noexcept
        : memory_(memory), options_(options), log_(log) {}

    bool is_caching() const noexcept override { return options_.age.count() > 0; }
    store::Result<std::int64_t> total(const store::Filter& filter, store::Deadline deadline,
                                      const Count& count) override;
    /// Of all places: one database can be named in many ways.
    void invalidate() noexcept override { forget(memory_); }
    /// The same. Takes no lock: a process that trusts the others less than itself may call it.
    static void forget(void* memory) noexcept;

  private:
    void* memory_;
    Options options_;
    text::Logger& log_;
};

} // namespace useradmin::httpd
