// Results of database operations.
#pragma once

#include <optional>
#include <utility>

namespace useradmin::store {

/// Why there is no value. The first two are errors. The others are expected outcomes.
enum class Failure {
    unavailable,       ///< the database is unavailable or timed out: 503
    failed,            ///< a database error; the log has the reason: 500
    not_found,         ///< the row does not exist
    email_taken,       ///< another user has the address (4.2, check 5)
    protected_user,    ///< the user is the protected administrator (4.4.1, check 5)
    outranked,         ///< the caller may not change users with this user's role
    last_of_role,      ///< the user is the last unbanned user with the role
    version_mismatch,  ///< the user's row has another version
    caller_rejected,   ///< the caller has been banned or deleted: 401
    caller_demoted,    ///< the caller has lost the role that allowed the change: 403
    invalid_value,     ///< an extra column cannot hold the value: 400
    no_second_factor,  ///< the user has no second factor: 404
    no_session,        ///< the user does not have the session: 404
    no_sign_in_method, ///< the user does not have the sign-in method: 404
    already_done,      ///< a change with the same key has been made
    invalid_condition, ///< the column is missing, or cannot be compared with the value
};

/// The value type of a Result that carries only success or failure.
struct Done {};

/// A value or a failure.
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
    /// Requires that there is no value.
    Failure failure() const noexcept { return failure_; }
    /// Returns whether the failure is not_found. Other failures do not mean that the row exists.
    bool is_not_found() const noexcept { return !value_ && failure_ == Failure::not_found; }

  private:
    std::optional<T> value_;
    Failure failure_ = Failure::failed;
};

} // namespace useradmin::store
