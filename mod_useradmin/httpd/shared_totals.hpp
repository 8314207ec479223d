// Totals of filters, shared by all children.
#pragma once

#include "ipc/event.hpp"
#include "ipc/shared_table.hpp"
#include "store/totals.hpp"
#include "text/logger.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace useradmin::httpd {

/// Counts the totals of a database for one request. Requests that arrive while a total is being
/// counted share the next count. The next count begins after a short delay, so more requests can
/// share it. If the counting process is killed, one of the waiters takes over. The shared table has
/// room for 1,024 totals, and new totals replace the oldest.
class SharedTotals final : public store::Totals {
    /// The total of a filter. The counting thread holds `counting`. The lock of the table protects
    /// the other members, except `ended`.
    struct Total {
        ipc::Mutex counting;
        /// The value of Table::generation_ when the count began.
        std::uint64_t generation;
        /// The last total, even if outdated, or a negative number before the first count.
        std::int64_t number;
        /// The duration of the last count.
        std::chrono::steady_clock::duration duration;
        /// Whether other requests have waited for the last count.
        bool has_waiters;
        /// Signals the end of a count. Wakes all waiters simultaneously. Waking them one after
        /// another would take as long as the count.
        ipc::Event ended;
    };
    using Totals = ipc::SharedTable<Total, 1, 128>;

  public:
    /// The totals of all databases.
    class Table {
      public:
        /// Initializes the object in zeroed shared memory. Call before the processes fork. Returns
        /// false on failure.
        [[nodiscard]] bool init() noexcept {
            return totals_.init([](Total& total) { return total.counting.init(); });
        }
        /// Invalidates all totals. Takes no lock, so httpd's parent process can call it without
        /// waiting for its less trusted children.
        void invalidate() noexcept { ++generation_; }

      private:
        friend class SharedTotals;
        std::atomic<std::uint64_t> generation_;
        Totals totals_;
    };
    static_assert(sizeof(Table) <= std::size_t{128} * 1024);

    struct Options {
        /// Identifies the database and its tables. Must outlive the object.
        std::string_view tables_id;
        /// The maximum age of a total. 0 disables caching.
        std::chrono::seconds age;
        /// The maximum wait. Used only in the log.
        std::chrono::milliseconds timeout;
        /// The directive that sets the timeout. Used only in the log.
        const char* timeout_directive;
    };

    SharedTotals(Table& table, const Options& options, text::Logger& log) noexcept
        : table_(table), options_(options), log_(log) {}

    bool is_caching() const noexcept override { return options_.age.count() > 0; }
    store::Result<std::int64_t> total(const store::Filter& filter, store::Deadline deadline,
                                      const Count& count) override;
    /// Invalidates the totals of all databases, because different parameters may refer to the same
    /// database.
    void invalidate() noexcept override { table_.invalidate(); }

  private:
    class CountGuard;

    static Totals::Entry* claim(const Totals::Bucket& bucket);
    store::Result<std::int64_t> count_and_store(Totals::Entry& entry, const Totals::Key& key,
                                                const Count& count);

    Table& table_;
    Options options_;
    text::Logger& log_;
};

} // namespace useradmin::httpd
