// The bounded hasher: what the operations use to hash.
#pragma once

#include "password/hash.hpp"
#include "password/slots.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <variant>

namespace useradmin::password {

enum class HashFailure {
    busy,   ///< no slot came free in time: 503
    failed, ///< the library failed: 500
};

/// Hashes one password, or says why it cannot.
class Hasher {
  public:
    virtual ~Hasher() = default;
    virtual std::variant<std::string, HashFailure> hash(std::string_view password) = 0;
};

/// Hashes under one of the server's slots.
class BoundedHasher final : public Hasher {
  public:
    BoundedHasher(Format format, Slots slots, std::chrono::milliseconds timeout) noexcept
        : format_(format), slots_(slots), timeout_(timeout) {}

    std::variant<std::string, HashFailure> hash(std::string_view password) override;

  private:
    Format format_;
    Slots slots_;
    std::chrono::milliseconds timeout_;
};

} // namespace useradmin::password
