// A TCP connection that sends exactly the given bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace useradmin::test {

/// Connected to a port of 127.0.0.1 until it goes.
class RawConnection {
  public:
    /// With a receive buffer of that many bytes (0: the system's).
    explicit RawConnection(std::uint16_t port, int receive_buffer = 0);
    ~RawConnection();
    RawConnection(const RawConnection&) = delete;
    RawConnection& operator=(const RawConnection&) = delete;

    /// Sends all the bytes; false where the other side has closed before it took them.
    bool send(std::string_view bytes) const;

    /// Whether something came, or the other side closed, within the time.
    bool has_input(std::chrono::milliseconds time) const;

    /// Says that nothing more will be sent.
    void finish_sending() const;

    /// All that came until the other side closed; fails the test when it has not within the bound.
    std::string receive_all(std::chrono::seconds bound = std::chrono::seconds(30)) const;

    /// What came until the text was in it; fails the test when it has not within the bound.
    std::string receive_until(std::string_view text,
                              std::chrono::seconds bound = std::chrono::seconds(30)) const;

    /// What came until there was a whole reply, by its Content-Length, or the other side closed;
    /// fails the test when neither has come within the bound.
    std::string receive_reply(std::chrono::seconds bound = std::chrono::seconds(30)) const;

  private:
    /// One more part; false at the end. Fails the test at the end of time.
    bool receive_part(std::string& into, std::chrono::steady_clock::time_point end) const;

    int socket_;
};

} // namespace useradmin::test
