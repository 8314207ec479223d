#include "store/rows.hpp"

namespace useradmin::store {

Rows::Rows(const apr_dbd_driver_t* driver, apr_pool_t* pool, apr_dbd_results_t* results) noexcept
    : driver_(driver), pool_(pool), results_(results),
      count_(results != nullptr ? apr_dbd_num_tuples(driver, results) : 0) {}

bool Rows::next() noexcept {
    // Reading past the last row would clear the result under every text taken from it.
    if (read_ >= count_)
        return false;
    ++read_;
    return apr_dbd_get_row(driver_, pool_, results_, &row_, -1) == 0;
}

std::optional<std::string_view> Rows::text(int column) const noexcept {
    const char* value = nullptr;
    // apr_dbd_get_entry gives "" for NULL on PostgreSQL; this call tells the two apart.
    if (apr_dbd_datum_get(driver_, row_, column, APR_DBD_TYPE_TEXT, static_cast<void*>(&value)) !=
            APR_SUCCESS ||
        value == nullptr)
        return std::nullopt;
    return std::string_view(value);
}

} // namespace useradmin::store
