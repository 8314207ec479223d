#include "support/httpd.hpp"

#include "support/exchange_log.hpp"
#include "support/fail_test.hpp"
#include "support/log_watch.hpp"
#include "support/machine.hpp"
#include "support/ports.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <csignal>

namespace useradmin::test {

namespace {

std::string load(const std::string& name, const std::string& file) {
    // Some systems compile in modules that are shared objects on others.
    return "<IfModule !" + name + "_module>\n  LoadModule " + name + "_module \"" + file +
           "\"\n</IfModule>\n";
}

std::string load_own(const std::string& file) {
    const std::string stem = std::filesystem::path(file).stem();
    return load(stem.substr(sizeof "mod_" - 1), machine::httpd_module(file));
}

std::string configuration_of(const HttpdSettings& settings, const std::filesystem::path& folder,
                             std::uint16_t port) {
    std::string text;
    text += "Define PORT " + std::to_string(port) + "\n";
    text += "Define WORK \"" + folder.string() + "\"\n";
    text += "ServerRoot \"${WORK}\"\n"
            "DefaultRuntimeDir \"${WORK}\"\n"
            "PidFile \"${WORK}/httpd.pid\"\n"
            "ErrorLog \"${WORK}/error.log\"\n"
            "LogLevel info useradmin:trace8 auth_useradmin:trace8\n"
            "ServerName localhost\n"
            "Listen 127.0.0.1:${PORT}\n"
            "KeepAlive On\n"
            // If the client reads slowly, a response of 1 MB must not fit in the send buffer.
            "SendBufferSize 65536\n";
    if (const auto account = Httpd::account())
        text += "User " + account->name + "\nGroup " + account->group + "\n";
    text += load_own("mod_mpm_" + settings.mpm + ".so");
    for (const char* file : {"mod_unixd.so", "mod_log_config.so"})
        if (std::filesystem::exists(std::filesystem::path(USERADMIN_HTTPD_MODULES) / file))
            text += load_own(file);
    for (const char* file : {"mod_authn_core.so", "mod_authz_core.so", "mod_dbd.so"})
        text += load_own(file);
    for (const auto& file : settings.modules)
        text += load_own(file);
    text += load("useradmin", machine::built("mod_useradmin.so"));
    text += load("auth_useradmin", machine::built("mod_auth_useradmin.so"));
    text += "LogFormat \"%u %>s %m %U\" test\n"
            "CustomLog \"${WORK}/access.log\" test\n"
            // Start all prefork children immediately: httpd adds children gradually, and tests send
            // thirty requests simultaneously. The other two stay idle, because httpd warns if no
            // child is idle.
            "<IfModule mpm_prefork_module>\n"
            "  StartServers 32\n  MinSpareServers 1\n  MaxSpareServers 32\n  MaxRequestWorkers 32\n"
            "</IfModule>\n"
            "<IfModule !mpm_prefork_module>\n"
            "  ServerLimit 2\n  StartServers 2\n  ThreadsPerChild 16\n  MaxRequestWorkers 32\n"
            "  MinSpareThreads 2\n  MaxSpareThreads 32\n"
            "</IfModule>\n";
    return text + settings.configuration + ExchangeLog::instance().directives();
}

std::filesystem::path next_folder(const WorkFolder& work) {
    static int number = 0;
    return work.make("httpd-" + std::to_string(++number));
}

std::vector<std::pair<std::string, std::string>> variables_of(const HttpdSettings& settings) {
    auto all = machine::sanitizer_environment();
    all.insert(all.end(), settings.environment.begin(), settings.environment.end());
    return all;
}

} // namespace

Httpd::Httpd(const WorkFolder& work, HttpdSettings settings)
    : settings_(std::move(settings)), folder_(next_folder(work)) {
    LogWatch::instance().watch(folder_ / "error.log");
    // Another program may take the port between free_port() and httpd's bind().
    for (int attempt = 0; attempt < 3; ++attempt)
        if (start()) {
            ExchangeLog::instance().begin_server(port_, settings_.configuration);
            return;
        }
    const auto log = read_file(folder_ / "error.log") + read_file(folder_ / "output");
    LogWatch::instance().stop_watching(folder_ / "error.log");
    fail_test("httpd did not start:\n" + log);
}

Httpd::~Httpd() {
    ExchangeLog::instance().end_server(port_);
    stop();
    LogWatch::instance().stop_watching(folder_ / "error.log");
}

bool Httpd::start() {
    port_ = free_port();
    const auto file = folder_ / "httpd.conf";
    write_file(file, configuration_of(settings_, folder_, port_));
    const Command command{{machine::httpd(), "-f", file.string(), "-DFOREGROUND"},
                          variables_of(settings_)};
    process_ = std::make_unique<Process>(command, folder_ / "output");
    // An open port is not enough: httpd binds and closes it when it reads its configuration for the
    // first time.
    const bool ready = eventually([this] { return !process_->running() || times_started() > 0; });
    return ready && process_->running();
}

bool Httpd::has_no_child_left() const {
    const auto children = children_of(process_->id());
    return std::all_of(children.begin(), children.end(), has_ended);
}

void Httpd::crash() {
    const auto children = children_of(process_->id());
    process_.reset();
    // Orphaned children may remain as zombies.
    if (!eventually([&] { return std::all_of(children.begin(), children.end(), has_ended); }))
        LogWatch::instance().note("httpd's children could not be killed");
}

void Httpd::stop() {
    if (process_ == nullptr)
        return;
    // Stop gracefully first. If httpd is stopped immediately, children of the event MPM can crash
    // on a connection that has just entered keep-alive.
    process_->signal(SIGWINCH);
    static_cast<void>(eventually([this] { return !process_->running() || has_no_child_left(); },
                                 std::chrono::seconds(10)));
    // During a graceful stop, httpd checks its children only once a second. SIGTERM ends that wait.
    process_->signal(SIGTERM);
    if (!process_->exits_within(std::chrono::seconds(60)))
        LogWatch::instance().note("httpd did not stop");
    if (!eventually([this] { return !process_->has_processes(); }))
        LogWatch::instance().note("httpd left processes behind");
    process_.reset();
}

int Httpd::times_started() const {
    constexpr std::string_view line = "resuming normal operations";
    const auto text = read_file(folder_ / "error.log");
    int times = 0;
    for (auto at = text.find(line); at != std::string::npos; at = text.find(line, at + 1))
        ++times;
    return times;
}

void Httpd::restart_gracefully() {
    await_restart([this] { process_->signal(SIGUSR1); });
}

std::vector<std::string> Httpd::access_log() const {
    return lines_of(read_file(folder_ / "access.log"));
}

std::filesystem::path Httpd::write_configuration(const WorkFolder& work,
                                                 const HttpdSettings& settings) {
    const auto folder = next_folder(work);
    const auto file = folder / "httpd.conf";
    write_file(file, configuration_of(settings, folder, 80));
    return file;
}

CommandResult Httpd::check(const WorkFolder& work, HttpdSettings settings) {
    const auto file = write_configuration(work, settings);
    return run({{machine::httpd(), "-t", "-f", file.string()}, variables_of(settings)});
}

std::optional<Account> Httpd::account() {
    if (!running_as_root())
        return {};
    auto account = Account::first_of({"www-data", "apache", "nobody"});
    if (!account)
        fail_test(
            "httpd's children do not run as root, and there is no account www-data, apache or "
            "nobody");
    return account;
}

} // namespace useradmin::test
