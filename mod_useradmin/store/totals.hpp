#pragma once

#include "store/result.hpp"
#include "store/store.hpp"
#include "store/time_budget.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace useradmin::store {

/// The last known total of a filter, if any.
using LastTotal = std::optional<std::int64_t>;

/// Shares the totals of filters among concurrent requests. Do not hold a connection during a call,
/// because it may wait for another request's count.
class Totals {
  public:
    using Count = std::function<Result<std::int64_t>(LastTotal last)>;

    virtual ~Totals() = default;
    /// Returns whether total() may return a total that was counted before the call.
    virtual bool is_caching() const noexcept = 0;
    /// Returns the filter's total: a cached one, the result of another request's count that began
    /// after this call, or the result of `count`. Calls `count` at most once. Fails with the
    /// failure of `count`, or with unavailable if another request's count did not finish in time.
    virtual Result<std::int64_t> total(const Filter& filter, Deadline deadline,
                                       const Count& count) = 0;
    /// Discards the cached totals.
    virtual void invalidate() noexcept = 0;
};

} // namespace useradmin::store
