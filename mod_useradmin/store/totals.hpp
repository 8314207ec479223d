// Totals of filters, which several requests may share.
#pragma once

#include "store/result.hpp"
#include "store/store.hpp"
#include "store/time_budget.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace useradmin::store {

/// What a filter's total was when it was last counted; nothing where that is not known.
using LastTotal = std::optional<std::int64_t>;

/// How many users match a filter, for all who ask at the same time. Used while no connection is
/// held, since one request may wait for another's count.
class Totals {
  public:
    using Count = std::function<Result<std::int64_t>(LastTotal last)>;

    virtual ~Totals() = default;
    /// Whether totals are kept for a while.
    virtual bool is_caching() const noexcept = 0;
    /// The filter's total: a kept one; or that of a count that another request began after this
    /// call; or else what the count says, called once at most. Fails as the count does, and as
    /// unavailable where another's did not end before the deadline.
    virtual Result<std::int64_t> total(const Filter& filter, Deadline deadline,
                                       const Count& count) = 0;
    /// Users were changed: no total that is kept holds any more.
    virtual void invalidate() noexcept = 0;
};

} // namespace useradmin::store
