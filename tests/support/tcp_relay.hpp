// TCP access to a server that listens on a Unix socket.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <vector>

namespace useradmin::test {

/// Listens on a port of 127.0.0.1 and relays to the server and back.
class TcpRelay {
  public:
    explicit TcpRelay(std::filesystem::path server_socket);
    ~TcpRelay();
    TcpRelay(const TcpRelay&) = delete;
    TcpRelay& operator=(const TcpRelay&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    /// Drops all packets until reconnect(): existing connections stay open but transfer nothing,
    /// and new ones are neither accepted nor refused.
    void disconnect();
    void reconnect();

  private:
    struct Pair {
        int client;
        int server;
    };

    bool listens();
    void forward();
    void accept_connection();
    void wake() const;
    /// Returns a socket that is connecting to the port.
    int connect_to_port() const;

    std::filesystem::path server_socket_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    int wake_read_ = -1;
    int wake_write_ = -1;
    std::atomic<bool> is_cut_{false};
    std::atomic<bool> ends_{false};
    /// Used only by the thread.
    std::vector<Pair> pairs_;
    /// Connections that fill the listener's queue while disconnected.
    std::vector<int> fillers_;
    std::thread thread_;
};

} // namespace useradmin::test
