// A real httpd for the tests.
#pragma once

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/trouble.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::test {

/// The settings of an httpd.
struct HttpdSettings {
    std::string mpm = "event";
    /// Additional httpd modules to load: "mod_rewrite.so".
    std::vector<std::string> modules = {};
    /// Appended to httpd.conf. ${PORT} is the port, ${WORK} this httpd's folder.
    std::string configuration = {};
    std::vector<std::pair<std::string, std::string>> environment = {};
};

/// An httpd on a free port of 127.0.0.1 with the project's two modules. LogWatch watches its error
/// log. The destructor stops it and reports processes that do not end.
class Httpd {
  public:
    /// Writes the configuration and starts httpd. It accepts connections on return.
    Httpd(const WorkFolder& work, HttpdSettings settings);
    ~Httpd();
    Httpd(const Httpd&) = delete;
    Httpd& operator=(const Httpd&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    /// Restarts gracefully, like `apachectl graceful`. On return, the new children are running.
    void restart_gracefully();
    /// As restart_gracefully(), but the action triggers the restart.
    template <typename Action>
    void await_restart(const Action& action);

    /// Returns ${WORK}.
    const std::filesystem::path& folder() const noexcept { return folder_; }
    std::filesystem::path error_log() const { return folder_ / "error.log"; }

    /// Returns a line "%u %>s %m %U" for each request.
    std::vector<std::string> access_log() const;

    /// Kills all its processes at once, like a power failure. Only the destructor may follow.
    void crash();

    /// Returns the pid of the parent process.
    pid_t main_process() const { return process_->id(); }

    /// Writes the configuration without starting httpd. Returns its path.
    static std::filesystem::path write_configuration(const WorkFolder& work,
                                                     const HttpdSettings& settings);

    /// Returns whether httpd accepts the configuration (httpd -t), and its output.
    static CommandResult check(const WorkFolder& work, HttpdSettings settings);

    /// Returns the account of httpd's children; nothing if it is that of the tests.
    static std::optional<Account> account();

  private:
    bool start();
    /// Returns the number of starts and restarts, from the log.
    int times_started() const;
    void stop();
    /// Returns whether no child is running.
    bool has_no_child_left() const;

    HttpdSettings settings_;
    std::filesystem::path folder_;
    std::uint16_t port_ = 0;
    std::unique_ptr<Process> process_;
};

template <typename Action>
void Httpd::await_restart(const Action& action) {
    const int before = times_started();
    action();
    if (!eventually([&] { return times_started() > before; }))
        fail_test("httpd did not restart");
}

} // namespace useradmin::test
