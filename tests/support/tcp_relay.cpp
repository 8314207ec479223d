#include "support/tcp_relay.hpp"

#include "support/fail_test.hpp"
#include "support/ports.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace useradmin::test {

namespace {

// Backlogs for listen(). With 0, one connection can still wait.
constexpr int wide_queue = 128;
constexpr int narrow_queue = 0;

/// Connects to a Unix socket. Returns the socket's descriptor, or -1.
int connect_to_unix_socket(const std::filesystem::path& path) {
    const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return made;
    ::close(made);
    return -1;
}

} // namespace

TcpRelay::TcpRelay(std::filesystem::path server_socket) : server_socket_(std::move(server_socket)) {
    start();
}

TcpRelay::TcpRelay(std::uint16_t server_port) : server_port_(server_port) {
    start();
}

void TcpRelay::start() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        fail_test(std::string("no pipe: ") + std::strerror(errno));
    wake_read_ = ends[0];
    wake_write_ = ends[1];
    bool is_there = false;
    for (int attempt = 0; attempt < 3 && !is_there; ++attempt)
        is_there = listens();
    if (!is_there)
        fail_test(std::string("the relay has no port: ") + std::strerror(errno));
    thread_ = std::thread([this] { forward(); });
}

TcpRelay::~TcpRelay() {
    ends_ = true;
    wake();
    thread_.join();
    for (const Pair& pair : pairs_) {
        ::close(pair.client.socket);
        ::close(pair.server.socket);
    }
    for (const int filler : fillers_)
        ::close(filler);
    for (const int descriptor : {listener_, wake_read_, wake_write_})
        ::close(descriptor);
}

bool TcpRelay::listens() {
    port_ = free_port();
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const sockaddr_in address = loopback(port_);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::listen(listener_, wide_queue) == 0)
        return true;
    ::close(listener_);
    return false;
}

int TcpRelay::connect_to_port() const {
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const sockaddr_in address = loopback(port_);
    if (::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
        errno != EINPROGRESS)
        fail_test(std::string("the relay cannot be connected to: ") + std::strerror(errno));
    return made;
}

void TcpRelay::wake() const {
    if (::write(wake_write_, "", 1) < 0 && errno != EAGAIN)
        fail_test(std::string("the relay cannot be woken: ") + std::strerror(errno));
}

void TcpRelay::disconnect() {
    is_cut_ = true;
    wake();
    // Linux drops SYN packets while the accept queue is full.
    ::listen(listener_, narrow_queue);
    for (int number = 0; number < 3; ++number)
        fillers_.push_back(connect_to_port());
}

void TcpRelay::reconnect() {
    for (const int filler : std::exchange(fillers_, {}))
        ::close(filler);
    ::listen(listener_, wide_queue);
    is_cut_ = false;
    wake();
}

void TcpRelay::accept_connection() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0)
        return;
    const std::uint16_t port = server_port_;
    const int server = port != 0 ? connect_to(port) : connect_to_unix_socket(server_socket_);
    if (server < 0)
        ::close(client);
    else
        pairs_.push_back({{client}, {server}});
}

bool TcpRelay::move_bytes(End& from, End& to) {
    const auto would_block = [] { return errno == EAGAIN || errno == EINTR; };
    if (to.pending.empty()) {
        to.pending.resize(65536);
        const auto got = ::recv(from.socket, to.pending.data(), to.pending.size(), MSG_DONTWAIT);
        to.pending.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got <= 0)
            return got < 0 && would_block();
    }
    const auto sent =
        ::send(to.socket, to.pending.data(), to.pending.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0)
        return would_block();
    to.pending.erase(0, static_cast<std::size_t>(sent));
    return true;
}

void TcpRelay::forward() {
    const auto events_for = [](const End& end, const End& other) {
        return pollfd{end.socket,
                      static_cast<short>((other.pending.empty() ? POLLIN : 0) |
                                         (end.pending.empty() ? 0 : POLLOUT)),
                      0};
    };
    while (!ends_) {
        std::vector<pollfd> waited = {{wake_read_, POLLIN, 0}};
        if (!is_cut_) {
            waited.push_back({listener_, POLLIN, 0});
            for (const Pair& pair : pairs_) {
                waited.push_back(events_for(pair.client, pair.server));
                waited.push_back(events_for(pair.server, pair.client));
            }
        }
        ::poll(waited.data(), waited.size(), -1);
        std::array<char, 16> woken{};
        while (::read(wake_read_, woken.data(), woken.size()) > 0) {
        }
        if (is_cut_ || waited.size() == 1)
            continue;
        // Only these pairs were passed to poll().
        const std::size_t count = (waited.size() - 2) / 2;
        for (std::size_t number = 0; number < count; ++number) {
            Pair& pair = pairs_[number];
            if ((waited[2 + 2 * number].revents | waited[3 + 2 * number].revents) == 0)
                continue;
            if (move_bytes(pair.client, pair.server) && move_bytes(pair.server, pair.client))
                continue;
            ::close(std::exchange(pair.client.socket, -1));
            ::close(std::exchange(pair.server.socket, -1));
        }
        std::erase_if(pairs_, [](const Pair& pair) { return pair.client.socket < 0; });
        if (waited[1].revents != 0)
            accept_connection();
    }
}

} // namespace useradmin::test
