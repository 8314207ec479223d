#pragma once

#include "support/fail_test.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace useradmin::test {

struct HttpdSettings {
    std::string mpm = "event";
    /// Additional httpd modules to load, for example "mod_rewrite.so".
    std::vector<std::string> modules = {};
    /// Appended to httpd.conf. ${PORT} is the port, ${WORK} the directory of this httpd.
    std::string configuration = {};
    std::vector<std::pair<std::string, std::string>> environment = {};
};

/// Runs httpd on a free port of 127.0.0.1 with mod_useradmin and mod_auth_useradmin. LogWatch
/// watches its error log. The destructor stops it and reports processes that do not end.
class Httpd {
  public:
    /// Writes the configuration, starts httpd and waits until it accepts connections.
    Httpd(const WorkFolder& work, HttpdSettings settings);
    ~Httpd();

    std::uint16_t port() const noexcept { return port_; }

    /// Restarts httpd gracefully, like `apachectl graceful`, and waits until it resumes operation.
    void restart_gracefully();
    /// Runs an action that restarts httpd, and waits until httpd resumes operation.
    template <typename Action>
    void await_restart(const Action& action);

    /// Returns ${WORK}.
    const std::filesystem::path& folder() const noexcept { return folder_; }
    std::filesystem::path error_log() const { return folder_ / "error.log"; }

    /// Returns the lines of the access log. Their format is "%u %>s %m %U".
    std::vector<std::string> access_log() const;

    /// Kills all processes of httpd, like a power failure. Afterwards, only the destructor may be
    /// called.
    void crash();

    /// Returns the PID of the parent process.
    pid_t main_process() const { return process_->id(); }

    /// Writes the configuration without starting httpd. Returns its path.
    static std::filesystem::path write_configuration(const WorkFolder& work,
                                                     const HttpdSettings& settings);

    /// Runs httpd -t. Returns its exit status and output.
    static CommandResult check(const WorkFolder& work, HttpdSettings settings);

    /// Returns httpd's account, or std::nullopt if httpd runs under the tests' account.
    static std::optional<Account> account();

  private:
    bool start();
    /// Returns how many starts and restarts are in the error log.
    int times_started() const;
    void stop();
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
