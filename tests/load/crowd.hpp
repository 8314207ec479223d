#pragma once

#include "support/http_client.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace useradmin::test {

struct CrowdReport {
    long responses = 0;
    /// Requests whose connection was closed without a response.
    long lost = 0;
    /// Idle connections that the server closed and the client reopened. httpd closes keep-alive
    /// connections when all of its workers are busy.
    long reconnects = 0;
    /// Requests that had no response when the time was up.
    long unanswered = 0;
    std::chrono::milliseconds median{};
    std::chrono::milliseconds p99{};
    std::chrono::milliseconds longest{};
};

/// Simulates many clients in one thread. A subclass supplies requests and receives responses.
class Crowd {
  public:
    virtual ~Crowd() = default;

    /// Returns the next complete request of a client.
    virtual std::string next(std::size_t client) = 0;
    /// Receives the response to the client's last request.
    virtual void take(std::size_t client, const Response& response) = 0;

    /// Simulates `clients` clients for this time. Each sends requests at random intervals that
    /// average `pause`. Calls `tick` every second.
    CrowdReport run(std::uint16_t port, std::size_t clients, std::chrono::seconds time,
                    std::chrono::milliseconds pause, const std::function<void()>& tick);
};

} // namespace useradmin::test
