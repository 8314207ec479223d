#include "support/raw_connection.hpp"

#include "support/fail_test.hpp"
#include "support/ports.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace useradmin::test {

RawConnection::RawConnection(std::uint16_t port, int receive_buffer)
    : socket_(connect_to(port, receive_buffer)) {
    if (socket_ < 0)
        fail_test("cannot connect to port " + std::to_string(port) + ": " + std::strerror(errno));
}

std::unique_ptr<RawConnection> RawConnection::open(std::uint16_t port) {
    const int socket = connect_to(port);
    return socket < 0 ? nullptr : std::unique_ptr<RawConnection>(new RawConnection(Socket{socket}));
}

RawConnection::~RawConnection() {
    ::close(socket_);
}

bool RawConnection::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool RawConnection::has_input(std::chrono::milliseconds time) const {
    pollfd waited{socket_, POLLIN, 0};
    return ::poll(&waited, 1, static_cast<int>(time.count())) > 0;
}

void RawConnection::finish_sending() const {
    ::shutdown(socket_, SHUT_WR);
}

std::string RawConnection::receive_all(std::chrono::seconds bound) const {
    std::string all;
    const auto end = std::chrono::steady_clock::now() + bound;
    while (receive_part(all, end)) {
    }
    return all;
}

std::string RawConnection::receive_until(std::string_view text, std::chrono::seconds bound) const {
    std::string all;
    const auto end = std::chrono::steady_clock::now() + bound;
    while (all.find(text) == std::string::npos)
        if (!receive_part(all, end))
            fail_test("the connection ended before " + std::string(text) + " came:\n" + all);
    return all;
}

std::string RawConnection::receive_response(std::chrono::seconds bound) const {
    constexpr std::string_view length = "\r\nContent-Length: ";
    std::string all;
    const auto end = std::chrono::steady_clock::now() + bound;
    while (receive_part(all, end)) {
        const auto body = all.find("\r\n\r\n");
        const auto at = all.find(length);
        if (body == std::string::npos || at == std::string::npos || at > body)
            continue;
        const long size = parse_number(std::string_view(all).substr(at + length.size()));
        if (all.size() >= body + 4 + static_cast<std::size_t>(size))
            break;
    }
    return all;
}

bool RawConnection::receive_part(std::string& into,
                                 std::chrono::steady_clock::time_point end) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::max<long long>(left.count(), 0))) <= 0)
        fail_test("the connection neither ended nor brought what was awaited; it brought:\n" +
                  into);
    std::array<char, 16384> part{};
    const auto got = ::recv(socket_, part.data(), part.size(), 0);
    // An error also ends the connection: a server that closes one with unread data resets it.
    if (got <= 0)
        return false;
    into.append(part.data(), static_cast<std::size_t>(got));
    return true;
}

} // namespace useradmin::test
