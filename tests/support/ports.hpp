// TCP ports of 127.0.0.1 for the servers of the tests, and the way to them.
#pragma once

#include <cstdint>
#include <netinet/in.h>

namespace useradmin::test {

/// A free port of 127.0.0.1, below those that the system gives to clients.
/// Another program may still take it first: who binds it tries again with another.
std::uint16_t free_port();

/// The port's address at 127.0.0.1.
sockaddr_in loopback(std::uint16_t port) noexcept;

/// A socket that is connected to the port, the caller's to close, or -1; with a receive buffer of
/// that many bytes (0: the system's).
int connected_to(std::uint16_t port, int receive_buffer = 0);

} // namespace useradmin::test
