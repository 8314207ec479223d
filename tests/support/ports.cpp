#include "support/ports.hpp"

#include "support/fail_test.hpp"

#include <arpa/inet.h>
#include <mutex>
#include <random>
#include <set>
#include <sys/socket.h>
#include <unistd.h>

namespace useradmin::test {

std::uint16_t free_port() {
    // A server binds its port some time later, so none is returned twice.
    static std::mutex mutex;
    static std::set<std::uint16_t> returned;
    const std::lock_guard lock(mutex);
    // Choose a random port, because several test executables run simultaneously.
    std::random_device random;
    std::uniform_int_distribution<int> any(15000, 31999);
    for (int attempt = 0; attempt < 200; ++attempt) {
        const auto port = static_cast<std::uint16_t>(any(random));
        const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int on = 1;
        ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        const sockaddr_in address = loopback(port);
        const bool bound =
            ::bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        ::close(probe);
        if (bound && returned.insert(port).second)
            return port;
    }
    fail_test("no port of 127.0.0.1 between 15000 and 31999 is free");
}

sockaddr_in loopback(std::uint16_t port) noexcept {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int connect_to(std::uint16_t port, int receive_buffer) {
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0)
        ::setsockopt(made, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const sockaddr_in address = loopback(port);
    if (::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return made;
    ::close(made);
    return -1;
}

} // namespace useradmin::test
