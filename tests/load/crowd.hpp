// Many clients at once, each with a connection that it keeps.
#pragma once

#include "support/http_client.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace useradmin::test {

/// What a crowd came to.
struct CrowdReport {
    long replies = 0;
    /// Requests to which a closed connection came instead of a reply.
    long lost = 0;
    /// Connections that the server closed while nothing was asked, and that were opened again:
    /// httpd does so with kept ones when all of its workers are busy.
    long made_anew = 0;
    /// Those that had no reply when all had been waited for.
    long unanswered = 0;
    std::chrono::milliseconds median{};
    std::chrono::milliseconds p99{};
    std::chrono::milliseconds longest{};
};

/// What the clients of a crowd send and do with what comes. All is called from one thread.
class Crowd {
  public:
    virtual ~Crowd() = default;

    /// The next request of a client, whole.
    virtual std::string next(std::size_t client) = 0;
    /// What came to it.
    virtual void take(std::size_t client, const Reply& reply) = 0;

    /// Lets so many clients send for so long, each at random moments that are a pause apart on
    /// average; `tick` is called every second.
    CrowdReport run(std::uint16_t port, std::size_t clients, std::chrono::seconds time,
                    std::chrono::milliseconds pause, const std::function<void()>& tick);
};

} // namespace useradmin::test
