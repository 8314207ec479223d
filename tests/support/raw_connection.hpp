#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace useradmin::test {

/// Sends exactly the given bytes over a TCP connection to a port of 127.0.0.1.
class RawConnection {
  public:
    /// Fails the test if it cannot connect. receive_buffer: the receive buffer's size in bytes, or
    /// 0 for the system's default.
    explicit RawConnection(std::uint16_t port, int receive_buffer = 0);
    /// Returns a connection, or nullptr if it cannot connect.
    static std::unique_ptr<RawConnection> open(std::uint16_t port);
    ~RawConnection();
    RawConnection(const RawConnection&) = delete;
    RawConnection& operator=(const RawConnection&) = delete;

    /// Sends all bytes. Returns false if the peer closes the connection first.
    bool send(std::string_view bytes) const;

    /// Waits for input. Returns whether data arrived or the peer closed the connection in time.
    bool has_input(std::chrono::milliseconds time) const;

    /// Shuts down the sending side.
    void finish_sending() const;

    /// Receives all data until the peer closes the connection. Fails the test on timeout.
    std::string receive_all(std::chrono::seconds bound = std::chrono::seconds(60)) const;

    /// Receives data until it contains the text. Fails the test on timeout or if the peer closes
    /// the connection first.
    std::string receive_until(std::string_view text,
                              std::chrono::seconds bound = std::chrono::seconds(60)) const;

    /// Receives data until a response is complete (by Content-Length) or the peer closes the
    /// connection. Fails the test on timeout.
    std::string receive_response(std::chrono::seconds bound = std::chrono::seconds(60)) const;

  private:
    struct Socket {
        int descriptor;
    };
    explicit RawConnection(Socket socket) : socket_(socket.descriptor) {}

    /// Receives more data. Returns false if the connection is closed. Fails the test on timeout.
    bool receive_part(std::string& into, std::chrono::steady_clock::time_point end) const;

    int socket_;
};

} // namespace useradmin::test
