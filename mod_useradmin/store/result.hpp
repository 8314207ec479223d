// What a piece of database work comes to.
#pragma once

#include <optional>
#include <utility>

namespace useradmin::store {

/// Why there is no value. The first two are the database's, the others are answers.
enum class Failure {
    unavailable,       ///< no connection within the time limit: 503
    failed,            ///< the database refused or broke off; the log has the reason: 500
    not_found,         ///< no such row
    address_taken,     ///< another user has the address (4.2, check 5)
    protected_address, ///< the user is the protected administrator (4.4.1, check 5)
    outranked,         ///< the user has another role than those who may be changed have
    last_of_role,      ///< the user is the last of that role who is not banned
    version_mismatch,  ///< the user is none of the versions that may be changed
    caller_rejected,   ///< the caller is banned or deleted by now: 401
    caller_demoted,    ///< the caller has lost the role that it was let in with: 403
};

/// The value of work that has none to give.
struct Done {};

/// A value, or why there is none.
template <class T>
class [[nodiscard]] Result {
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
    /// Whether there is no such row. Other failures are no answer to that.
    bool is_not_found() const noexcept { return !value_ && failure_ == Failure::not_found; }

  private:
    std::optional<T> value_;
    Failure failure_ = Failure::failed;
};

} // namespace useradmin::store
