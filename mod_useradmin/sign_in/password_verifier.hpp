// Verifies passwords: what signing in uses.
#pragma once

#include "password/hash.hpp"
#include "password/slots.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

enum class PasswordVerdict {
    match,
    mismatch,
    refused, ///< no hash that is known, or one that asks for too much work
    busy,    ///< no slot came free in time: 503
    stopped, ///< it was no longer wanted when its turn came
};

/// Verifies one password.
class PasswordVerifier {
  public:
    virtual ~PasswordVerifier() = default;
    /// Where nothing is stored, the password is hashed all the same: the time tells nobody which
    /// accounts there are. Whether it is still wanted is asked when its turn has come.
    virtual PasswordVerdict verify(const std::optional<std::string_view>& stored,
                                   std::string_view password,
                                   const std::function<bool()>& is_wanted) = 0;
};

/// Verifies under one of the server's hashing slots.
class BoundedPasswordVerifier final : public PasswordVerifier {
  public:
    /// The format is that of the hashes in the database.
    BoundedPasswordVerifier(password::Format format, password::Slots slots,
                            std::chrono::milliseconds timeout) noexcept
        : format_(format), slots_(slots), timeout_(timeout) {}

    PasswordVerdict verify(const std::optional<std::string_view>& stored, std::string_view password,
                           const std::function<bool()>& is_wanted) override;

  private:
    password::Format format_;
    password::Slots slots_;
    std::chrono::milliseconds timeout_;
};

} // namespace useradmin::sign_in
