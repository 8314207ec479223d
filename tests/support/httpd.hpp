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

/// What one httpd is to be.
struct HttpdSettings {
    std::string mpm = "event";
    /// Further modules of httpd to load: "mod_rewrite.so".
    std::vector<std::string> modules = {};
    /// What follows in httpd.conf. ${PORT} is the port, ${WORK} this httpd's folder.
    std::string configuration = {};
    std::vector<std::pair<std::string, std::string>> environment = {};
};

/// An httpd that listens on a free port of 127.0.0.1, with the project's two modules loaded and its
/// error log watched by LogWatch. Stopped when it goes; what of it does not end is noted there.
class Httpd {
  public:
    /// Writes the configuration and starts it; it accepts connections when this returns.
    Httpd(const WorkFolder& work, HttpdSettings settings);
    ~Httpd();
    Httpd(const Httpd&) = delete;
    Httpd& operator=(const Httpd&) = delete;

    std::uint16_t port() const noexcept { return port_; }

    /// Restarts it gracefully, as `apachectl graceful` does; the new children run when
    /// this returns.
    void restart_gracefully();
    /// The same, triggered by the action.
    template <typename Action>
    void await_restart(const Action& action);

    std::filesystem::path error_log() const { return folder_ / "error.log"; }

    /// "%u %>s %m %U" of each request that was answered.
    std::vector<std::string> access_log() const;

    /// The process that the others are children of.
    pid_t main_process() const { return process_->id(); }

    /// Whether httpd takes the configuration (httpd -t), and what it says of it.
    static CommandResult check(const WorkFolder& work, HttpdSettings settings);

    /// The account that httpd's children run under; nothing where that is the tests' own.
    static std::optional<Account> account();

  private:
    bool start();
    /// How often it has read its configuration and begun to serve, as its log says.
    int times_started() const;
    void stop();
    /// Whether none of its children runs.
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
