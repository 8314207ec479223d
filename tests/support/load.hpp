// Sends requests from many threads.
#pragma once

#include "support/http_client.hpp"
#include "support/raw_connection.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace useradmin::test {

/// Sends a request over a new connection. Returns the response, or status 0 if there is none.
inline Response send_alone(std::uint16_t port, const std::string& method, const std::string& path,
                           const std::string& body = {}, const std::string& header = {}) {
    const auto connection = RawConnection::open(port);
    if (connection == nullptr)
        return {};
    connection->send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                     (header.empty() ? "" : header + "\r\n") +
                     "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    // receive_response() would fail the test, which must not happen in another thread.
    if (!connection->has_input(std::chrono::seconds(60)))
        return {};
    const std::string bytes = connection->receive_response();
    return bytes.starts_with("HTTP/") ? parse_response(bytes) : Response();
}

inline long milliseconds(std::chrono::steady_clock::duration time) {
    return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

/// Runs threads that call a function repeatedly until stop() is called or the object is destroyed.
class Load {
  public:
    /// `turn` is the number of previous calls in this thread.
    using Task = std::function<void(int thread, int turn)>;

    Load(int threads, const Task& turn) {
        for (int number = 0; number < threads; ++number)
            threads_.emplace_back([this, turn, number] {
                for (int times = 0; is_running_; ++times)
                    turn(number, times);
            });
    }
    ~Load() { stop(); }

    /// Stops the threads after their current calls.
    void stop() {
        is_running_ = false;
        for (std::thread& thread : threads_)
            if (thread.joinable())
                thread.join();
    }

  private:
    std::atomic<bool> is_running_{true};
    std::vector<std::thread> threads_;
};

} // namespace useradmin::test
