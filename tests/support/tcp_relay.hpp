#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace useradmin::test {

/// Relays connections from a port of 127.0.0.1 to a server. It can stop all transfers.
class TcpRelay {
  public:
    /// Relays to a server that listens on a Unix socket.
    explicit TcpRelay(std::filesystem::path server_socket);
    /// Relays to a server that listens on a port of 127.0.0.1.
    explicit TcpRelay(std::uint16_t server_port);
    /// Relays new connections to another port.
    void set_server_port(std::uint16_t server_port) noexcept { server_port_ = server_port; }
    ~TcpRelay();

    std::uint16_t port() const noexcept { return port_; }

    /// Stops all transfers until reconnect(). Existing connections stay open, and data sent
    /// meanwhile is delivered afterwards. New connections are neither accepted nor refused.
    void disconnect();
    void reconnect();

  private:
    /// One end of a connection, and the data from the other end that has not been sent to it yet.
    struct End {
        int socket;
        std::string pending = {};
    };
    struct Pair {
        End client;
        End server;
    };
    /// Transfers data without blocking. Returns false if an end is closed or fails.
    static bool move_bytes(End& from, End& to);

    void start();
    bool listens();
    void forward();
    void accept_connection();
    void wake() const;
    /// Starts a connection to the relay's own port. Returns the socket.
    int connect_to_port() const;

    std::filesystem::path server_socket_;
    /// 0 if the server listens on a Unix socket.
    std::atomic<std::uint16_t> server_port_{0};
    std::uint16_t port_ = 0;
    int listener_ = -1;
    int wake_read_ = -1;
    int wake_write_ = -1;
    std::atomic<bool> is_cut_{false};
    std::atomic<bool> ends_{false};
    /// Used only by thread_.
    std::vector<Pair> pairs_;
    /// Connections that fill the listener's queue while the relay is disconnected.
    std::vector<int> fillers_;
    std::thread thread_;
};

} // namespace useradmin::test
