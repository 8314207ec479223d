#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace useradmin::text {

/// The network that identifies a client: a single IPv4 address, or the /64 of an IPv6 address.
class Network {
  public:
    /// Constructs the network of the unspecified address, ::/64.
    constexpr Network() noexcept = default;

    /// Parses an address in the format of inet_ntop. Ignores a scope ID ("fe80::1%eth0"). Treats an
    /// IPv4-mapped IPv6 address as IPv4. Returns the network of the unspecified address for any
    /// other string.
    static Network of(std::string_view address) noexcept;

    constexpr bool is_ipv4() const noexcept { return bits_ >> 32 == ipv4_prefix; }
    /// Returns a number that identifies the network: the first 64 bits of an IPv6 address, or a
    /// reserved 32-bit prefix and an IPv4 address. Never all ones.
    constexpr std::uint64_t bits() const noexcept { return bits_; }

    /// Returns the enclosing network with a prefix length of at most 64. Returns an IPv4 address
    /// unchanged.
    constexpr Network widened(unsigned prefix_length) const noexcept {
        if (is_ipv4() || prefix_length >= 64)
            return *this;
        return Network(bits_ & ~(~std::uint64_t{0} >> prefix_length));
    }

    /// Returns an IPv4 address such as "192.0.2.1", or the enclosing IPv6 network with this prefix
    /// length, such as "2001:db8::/56".
    std::string text(unsigned prefix_length = 64) const;

  private:
    static constexpr std::uint64_t ipv4_prefix = 0xffff; // 0:ffff::/32 is reserved by IANA

    explicit constexpr Network(std::uint64_t bits) noexcept : bits_(bits) {}

    std::uint64_t bits_ = 0;
};

} // namespace useradmin::text
