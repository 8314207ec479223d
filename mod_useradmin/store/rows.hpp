// The rows of a result.
#pragma once

#include "store/connection.hpp"

#include <optional>
#include <string_view>

namespace useradmin::store {

/// The rows that a statement gave, read once from the first to the last. The texts live as long as
/// the pool that the statement ran with.
class Rows {
  public:
    Rows() noexcept = default;
    Rows(const apr_dbd_driver_t* driver, apr_pool_t* pool, apr_dbd_results_t* results) noexcept;

    int count() const noexcept { return count_; }
    /// Steps to the next row, first to the first; false past the last.
    bool next() noexcept;
    /// The text in a column of the current row, counted from 0; nothing for NULL.
    std::optional<std::string_view> text(int column) const noexcept;

  private:
    const apr_dbd_driver_t* driver_ = nullptr;
    apr_pool_t* pool_ = nullptr;
    apr_dbd_results_t* results_ = nullptr;
    apr_dbd_row_t* row_ = nullptr;
    int count_ = 0;
    int read_ = 0;
};

} // namespace useradmin::store
