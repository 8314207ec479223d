// TCP ports for the servers of the tests.
#pragma once

#include <cstdint>

namespace useradmin::test {

/// A port of 127.0.0.1 that nobody listens on, below those that the system gives to clients.
/// Another program may still take it first: who binds it tries again with another.
std::uint16_t free_port();

} // namespace useradmin::test
