// Verifies passwords: what signing in uses.
#pragma once

#include "password/hash.hpp"
#include "password/slots.hpp"
#include "sign_in/hash_cost_equalizer.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

enum class PasswordVerdict {
    match,
    mismatch,
    unsupported, ///< no hash that is known, or one that asks for too much work
    busy,        ///< no slot came free in time, or the queue for one was full: 503
    cancelled,   ///< it was no longer wanted when its turn came
};

/// Verifies one password.
class PasswordVerifier {
  public:
    virtual ~PasswordVerifier() = default;
    /// Whatever is stored, or nothing: a password that does not match takes the same work, so that
    /// the time tells nobody which accounts there are. Whether it is still wanted is asked when its
    /// turn has come. At most half of the slots verify passwords of one account at once.
    virtual PasswordVerdict verify(std::uint64_t account,
                                   const std::optional<std::string_view>& stored,
                                   std::string_view password,
                                   const std::function<bool()>& is_wanted) = 0;
    /// The hash that is to stand in place of a stored one that the password matches; nothing where
    /// the stored one is to stay, or none can be made now.
    virtual std::optional<crypto::Secret> rehash(std::string_view stored,
                                                 std::string_view password) = 0;
};

/// The work of hashing.
class HashWork {
  public:
    virtual ~HashWork() = default;
    virtual password::Verdict verify(std::string_view stored, std::string_view password) {
        return password::verify(stored, password);
    }
    /// Does the work of a format for nothing.
    virtual void hash_and_discard(const password::Format& format, std::string_view password) {
        password::hash_and_discard(format, password);
    }
};

/// Verifies under one of the server's hashing slots.
class BoundedPasswordVerifier final : public PasswordVerifier {
  public:
    /// The format is that of new hashes; it counts as one that is in use.
    BoundedPasswordVerifier(const password::Format& format, ObservedFormats& formats,
                            HashWork& work, const password::HashSlots& slots)
        : format_(format), formats_(formats), work_(work), slots_(slots) {
        formats_.add(format);
    }

    PasswordVerdict verify(std::uint64_t account, const std::optional<std::string_view>& stored,
                           std::string_view password,
                           const std::function<bool()>& is_wanted) override;
    std::optional<crypto::Secret> rehash(std::string_view stored,
                                         std::string_view password) override;

  private:
    password::Format format_;
    ObservedFormats& formats_;
    HashWork& work_;
    password::HashSlots slots_;
};

} // namespace useradmin::sign_in
