#pragma once

#include "support/files.hpp"
#include "support/process.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace useradmin::test {

struct ServerCertificate {
    std::string certificate;
    std::string key;
};

/// Runs a Redis server on a free port of 127.0.0.1, with a password and without automatic saves.
/// The destructor kills it.
class Redis {
  public:
    static constexpr const char* password = "s3cr3t of @/redis";

    /// If certificate is given, the server also uses TLS, on another port.
    Redis(const WorkFolder& work, std::string_view name,
          const std::optional<ServerCertificate>& certificate = {});
    ~Redis();

    /// Restarts the server with the data that the command SAVE wrote.
    void start();
    /// Kills the server.
    void stop();
    /// Changes the password and closes all connections. url() still contains the first password.
    void change_password(const std::string& password);
    void signal(int number) const { process_->signal(number); }

    std::uint16_t port() const noexcept { return port_; }
    /// Returns the URL of database 2, including the password.
    std::string url() const { return url(port_); }
    /// Returns the URL of database 2 with the port of a relay.
    std::string url(std::uint16_t port) const;
    /// Returns the URL of database 2 with TLS.
    std::string tls_url(const std::string& host) const;
    /// Runs a command in database 2. Returns the response as a string, or std::nullopt if it is
    /// nil. Fails the test on an error.
    std::optional<std::string> run(const std::vector<std::string>& words) const;

  private:
    std::filesystem::path folder_;
    std::uint16_t port_;
    std::string password_ = password;
    std::optional<ServerCertificate> certificate_;
    std::uint16_t tls_port_ = 0;
    std::unique_ptr<Process> process_;
};

} // namespace useradmin::test
