#include "text/network.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <limits>

namespace useradmin::text {

namespace {

constexpr std::size_t ipv4_offset = 12; // in an IPv4-mapped address

std::uint64_t big_endian(const unsigned char* bytes, std::size_t count) noexcept {
    std::uint64_t value = 0;
    for (std::size_t index = 0; index < count; ++index)
        value = value << 8 | bytes[index];
    return value;
}

} // namespace

Network Network::of(std::string_view address) noexcept {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const std::size_t length = std::min(address.find('%'), address.size());
    if (length >= text.size() || address.find('\0') != address.npos)
        return {};
    address.copy(text.data(), length);

    in_addr ipv4{};
    if (length == address.size() && inet_pton(AF_INET, text.data(), &ipv4) == 1)
        return Network(ipv4_prefix << 32 | ntohl(ipv4.s_addr));
    in6_addr ipv6{};
    if (inet_pton(AF_INET6, text.data(), &ipv6) != 1)
        return {};
    if (IN6_IS_ADDR_V4MAPPED(&ipv6))
        return Network(ipv4_prefix << 32 |
                       big_endian(ipv6.s6_addr + ipv4_offset, sizeof ipv4.s_addr));
    const std::uint64_t bits = big_endian(ipv6.s6_addr, sizeof bits);
    return bits != std::numeric_limits<std::uint64_t>::max() ? Network(bits) : Network();
}

std::string Network::text(unsigned prefix_length) const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (is_ipv4()) {
        const in_addr ipv4{htonl(static_cast<std::uint32_t>(bits_))};
        inet_ntop(AF_INET, &ipv4, text.data(), text.size());
        return text.data();
    }
    in6_addr ipv6{};
    std::uint64_t bits = widened(prefix_length).bits_;
    for (std::size_t index = sizeof bits; index-- > 0; bits >>= 8)
        ipv6.s6_addr[index] = static_cast<unsigned char>(bits);
    inet_ntop(AF_INET6, &ipv6, text.data(), text.size());
    return std::string(text.data()) + '/' + std::to_string(std::min(prefix_length, 64U));
}

} // namespace useradmin::text
