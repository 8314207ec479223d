// Many concurrent clients with persistent connections.
#pragma once

#include "support/http_client.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace useradmin::test {

/// The results of a crowd.
struct CrowdReport {
    long replies = 0;
    /// Requests whose connection was closed without a reply.
    long lost = 0;
    /// Idle connections that the server closed and the client reopened. httpd closes keep-alive
    /// connections when all of its workers are busy.
    long made_anew = 0;
    /// Requests without a reply at the end of the wait.
    long unanswered = 0;
    std::chrono::milliseconds median{};
    std::chrono::milliseconds p99{};
    std::chrono::milliseconds longest{};
};

/// Simulates many clients. A subclass supplies requests and receives replies, in one thread.
class Crowd {
  public:
    virtual ~Crowd() = default;

    /// Returns the next complete request of a client.
    virtual std::string next(std::size_t client) = 0;
    /// Takes the reply to that request.
    virtual void take(std::size_t client, const Reply& reply) = 0;

    /// Lets so many clients send for so long, each at random moments that are a pause apart on
    /// average; `tick` is called every second.
    CrowdReport run(std::uint16_t port, std::size_t clients, std::chrono::seconds time,
                    std::chrono::milliseconds pause, const std::function<void()>& tick);
};

} // namespace useradmin::test
