#pragma once

#include "password/hash.hpp"
#include "password/slots.hpp"
#include "sign_in/observed_formats.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace useradmin::sign_in {

enum class PasswordVerdict {
    match,
    mismatch,
    unsupported, ///< the format is unknown, the cost is too high, or the library failed
    busy,        ///< no slot in time, or the queue was full (503)
    canceled,    ///< may_continue returned false
};

class PasswordVerifier {
  public:
    virtual ~PasswordVerifier() = default;
    /// Verifies the password against the stored hash, if any. Every rejection takes the same time,
    /// so the time does not reveal whether the account exists. may_continue is called when a slot
    /// is free. If it returns false, the verification is canceled. account: a number that
    /// identifies the account in the queue for slots.
    virtual PasswordVerdict verify(std::uint64_t account,
                                   const std::optional<std::string_view>& stored,
                                   std::string_view password,
                                   const std::function<bool()>& may_continue) = 0;
    /// Returns a new hash for a password that matches the stored one. Returns std::nullopt if the
    /// stored hash should be kept or hashing fails.
    virtual std::optional<crypto::Secret> rehash(std::string_view stored,
                                                 std::string_view password) = 0;
};

/// Holds one of the server's hashing slots while hashing.
class BoundedPasswordVerifier : public PasswordVerifier {
  public:
    /// format is the format of new hashes. The constructor adds it to formats.
    BoundedPasswordVerifier(const password::Format& format, ObservedFormats& formats,
                            const password::HashSlots& slots)
        : format_(format), formats_(formats), slots_(slots) {
        formats_.add(format);
    }

    PasswordVerdict verify(std::uint64_t account, const std::optional<std::string_view>& stored,
                           std::string_view password,
                           const std::function<bool()>& may_continue) override;
    std::optional<crypto::Secret> rehash(std::string_view stored,
                                         std::string_view password) override;

  protected:
    // Tests override these functions.
    virtual password::Verdict verify_hash(std::string_view stored, std::string_view password) {
        return password::verify(stored, password);
    }
    virtual void hash_and_discard(const password::Format& format, std::string_view password) {
        static_cast<void>(password::hash(format, password));
    }

  private:
    password::Format format_;
    ObservedFormats& formats_;
    password::HashSlots slots_;
};

} // namespace useradmin::sign_in
