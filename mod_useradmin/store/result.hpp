// What a piece of database work comes to.
#pragma once

#include <optional>
#include <utility>

namespace useradmin::store {

enum class Failure {
    unavailable, ///< no connection within the time limit: 503
    failed,      ///< the database refused or broke off; the log has the reason: 500
};

/// A value, or why there is none.
template <class T>
class Result {
  public:
    Result(T value) : value_(std::move(value)) {}
    Result(Failure failure) noexcept : failure_(failure) {}

    explicit operator bool() const noexcept { return value_.has_value(); }
    T& operator*() noexcept { return *value_; }
    const T& operator*() const noexcept { return *value_; }
    T* operator->() noexcept { return &*value_; }
    const T* operator->() const noexcept { return &*value_; }
    /// Only where there is no value.
    Failure failure() const noexcept { return failure_; }

  private:
    std::optional<T> value_;
    Failure failure_ = Failure::failed;
};

} // namespace useradmin::store
