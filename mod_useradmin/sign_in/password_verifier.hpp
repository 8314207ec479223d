// Verifies passwords for sign-in.
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
    unsupported, ///< unknown format, or too high a cost
    busy,        ///< no slot in time, or the queue was full: 503
    cancelled,   ///< no longer wanted when a slot was free
};

class PasswordVerifier {
  public:
    virtual ~PasswordVerifier() = default;
    /// Verifies the password against the stored hash, if there is one. Every wrong password costs
    /// the same, so the time does not reveal whether the account exists. is_wanted is called once a
    /// slot is free; false cancels.
    virtual PasswordVerdict verify(std::uint64_t account,
                                   const std::optional<std::string_view>& stored,
                                   std::string_view password,
                                   const std::function<bool()>& is_wanted) = 0;
    /// Returns a new hash for a password that matches the stored one, or nothing if the stored hash
    /// should be kept or hashing fails.
    virtual std::optional<crypto::Secret> rehash(std::string_view stored,
                                                 std::string_view password) = 0;
};

/// The hashing functions. Tests override them.
class HashWork {
  public:
    virtual ~HashWork() = default;
    virtual password::Verdict verify(std::string_view stored, std::string_view password) {
        return password::verify(stored, password);
    }
    /// Computes a hash in the format and discards the result.
    virtual void hash_and_discard(const password::Format& format, std::string_view password) {
        password::hash_and_discard(format, password);
    }
};

/// Verifies while holding one of the server's hashing slots.
class BoundedPasswordVerifier final : public PasswordVerifier {
  public:
    /// format: the format of new hashes, which is added to formats.
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
