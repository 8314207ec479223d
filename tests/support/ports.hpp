#pragma once

#include <cstdint>
#include <netinet/in.h>

namespace useradmin::test {

/// Returns a free port of 127.0.0.1 below the ephemeral range. Another program may take it first:
/// if bind() fails, try another port.
std::uint16_t free_port();

/// Returns the port's address on 127.0.0.1.
sockaddr_in loopback(std::uint16_t port) noexcept;

/// Connects to a port of 127.0.0.1. Returns the socket, or -1 on failure. The caller must close the
/// socket. receive_buffer: the receive buffer's size in bytes, or 0 for the system's default.
int connect_to(std::uint16_t port, int receive_buffer = 0);

} // namespace useradmin::test
