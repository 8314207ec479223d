// A TCP connection that sends exactly the given bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace useradmin::test {

/// A connection to a port of 127.0.0.1.
class RawConnection {
  public:
    /// receive_buffer: the size of the receive buffer in bytes (0: the system's default).
    explicit RawConnection(std::uint16_t port, int receive_buffer = 0);
    /// Returns a connection, or nullptr if the port refuses it.
    static std::unique_ptr<RawConnection> open(std::uint16_t port);
    ~RawConnection();
    RawConnection(const RawConnection&) = delete;
    RawConnection& operator=(const RawConnection&) = delete;

    /// Sends all the bytes. Returns false if the peer closed the connection first.
    bool send(std::string_view bytes) const;

    /// Returns whether data arrives or the peer closes the connection within the time.
    bool has_input(std::chrono::milliseconds time) const;

    /// Shuts down the sending side.
    void finish_sending() const;

    /// Returns everything until the peer closes the connection. Fails the test on timeout.
    std::string receive_all(std::chrono::seconds bound = std::chrono::seconds(30)) const;

    /// Returns everything until this string is received. Fails the test on timeout.
    std::string receive_until(std::string_view text,
                              std::chrono::seconds bound = std::chrono::seconds(30)) const;

    /// Returns everything until a whole reply is received (by Content-Length) or the peer closes
    /// the connection. Fails the test on timeout.
    std::string receive_reply(std::chrono::seconds bound = std::chrono::seconds(30)) const;

  private:
    struct Socket {
        int descriptor;
    };
    explicit RawConnection(Socket socket) : socket_(socket.descriptor) {}

    /// Receives one more part. Returns false at the end. Fails the test on timeout.
    bool receive_part(std::string& into, std::chrono::steady_clock::time_point end) const;

    int socket_;
};

} // namespace useradmin::test
