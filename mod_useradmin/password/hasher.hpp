// Password hashing with a limit on concurrent hashes.
#pragma once

#include "password/hash.hpp"
#include "password/slots.hpp"

#include <string_view>
#include <variant>

namespace useradmin::password {

enum class HashFailure {
    busy,   ///< no slot in time, or the queue was full (503)
    failed, ///< the library failed (500)
};

class Hasher {
  public:
    virtual ~Hasher() = default;
    /// Returns the hash to store. May wait for a hashing slot.
    virtual std::variant<crypto::Secret, HashFailure> hash(std::string_view password) = 0;
};

/// Hashes while it holds one of the server's hashing slots.
class BoundedHasher final : public Hasher {
  public:
    BoundedHasher(Format format, const HashSlots& slots) noexcept
        : format_(format), slots_(slots) {}

    std::variant<crypto::Secret, HashFailure> hash(std::string_view password) override;

  private:
    Format format_;
    HashSlots slots_;
};

} // namespace useradmin::password
