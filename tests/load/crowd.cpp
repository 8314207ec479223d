#include "crowd.hpp"

#include "support/fail_test.hpp"
#include "support/ports.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace useradmin::test {

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// A client's connection, and the part of the response received so far.
struct Client {
    int socket = -1;
    bool waits = false;
    Clock::time_point due;
    Clock::time_point sent;
    std::string bytes;
};

int connect_client(std::uint16_t port) {
    const int made = connect_to(port);
    if (made < 0)
        fail_test("one of many connections cannot be made");
    return made;
}

/// Returns whether a response is complete, according to its Content-Length.
bool is_complete(const std::string& bytes) {
    constexpr std::string_view name = "\r\nContent-Length: ";
    const auto end = bytes.find("\r\n\r\n");
    const auto length = bytes.find(name);
    return end != std::string::npos && length < end &&
           bytes.size() >= end + 4 +
                               static_cast<std::size_t>(parse_number(
                                   std::string_view(bytes).substr(length + name.size())));
}

} // namespace

CrowdReport Crowd::run(std::uint16_t port, std::size_t clients, std::chrono::seconds time,
                       std::chrono::milliseconds pause, const std::function<void()>& tick) {
    raise_file_limit();
    CrowdReport report;
    std::minstd_rand random(1);
    const auto pause_from = [&](Clock::time_point now) {
        return now + Milliseconds(random() % static_cast<unsigned>(2 * pause.count() + 1));
    };
    std::vector<Milliseconds> times;
    std::vector<Client> all(clients);
    const int events = epoll_create1(EPOLL_CLOEXEC);
    const auto watch = [&](std::size_t index) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = index;
        epoll_ctl(events, EPOLL_CTL_ADD, all[index].socket, &event);
    };
    for (std::size_t index = 0; index < clients; ++index) {
        all[index].socket = connect_client(port);
        watch(index);
        all[index].due = pause_from(Clock::now());
    }
    const auto reconnect = [&](std::size_t index) {
        Client& client = all[index];
        ++(client.waits ? report.lost : report.reconnects);
        ::close(client.socket);
        client = {connect_client(port), false, pause_from(Clock::now()), {}, {}};
        watch(index);
    };
    const auto receive = [&](std::size_t index) {
        Client& client = all[index];
        std::array<char, 65536> part;
        const ssize_t got = ::recv(client.socket, part.data(), part.size(), 0);
        if (got <= 0)
            return reconnect(index);
        client.bytes.append(part.data(), static_cast<std::size_t>(got));
        if (!client.waits || !is_complete(client.bytes))
            return;
        const auto now = Clock::now();
        times.push_back(std::chrono::duration_cast<Milliseconds>(now - client.sent));
        client.waits = false;
        client.due = pause_from(now);
        ++report.responses;
        take(index, parse_response(std::exchange(client.bytes, {})));
    };
    const auto is_waiting = [](const Client& client) { return client.waits; };

    const auto end = Clock::now() + time;
    const auto timeout_policy = end + std::chrono::seconds(30);
    auto next_tick = Clock::now() + std::chrono::seconds(1);
    std::array<epoll_event, 512> ready;
    for (auto now = Clock::now();
         now < end || (now < timeout_policy && std::any_of(all.begin(), all.end(), is_waiting));
         now = Clock::now()) {
        for (std::size_t index = 0; index < clients && now < end; ++index) {
            Client& client = all[index];
            if (client.waits || client.due > now)
                continue;
            const std::string request = next(index);
            client.waits = true;
            client.sent = Clock::now();
            if (::send(client.socket, request.data(), request.size(), MSG_NOSIGNAL) !=
                static_cast<ssize_t>(request.size()))
                reconnect(index);
        }
        const int count = epoll_wait(events, ready.data(), static_cast<int>(ready.size()), 5);
        for (int at = 0; at < count; ++at)
            receive(ready[static_cast<std::size_t>(at)].data.u64);
        if (now >= next_tick) {
            next_tick += std::chrono::seconds(1);
            tick();
        }
    }
    for (Client& client : all) {
        report.unanswered += client.waits ? 1 : 0;
        ::close(client.socket);
    }
    ::close(events);
    std::sort(times.begin(), times.end());
    if (!times.empty()) {
        report.median = times[times.size() / 2];
        report.p99 = times[times.size() * 99 / 100];
        report.longest = times.back();
    }
    return report;
}

} // namespace useradmin::test
