#include "support/haproxy.hpp"

#include "support/machine.hpp"
#include "support/ports.hpp"

#include <csignal>

namespace useradmin::test {

HaProxy::HaProxy(const WorkFolder& work, HaProxyServers servers)
    : servers_(servers), folder_(work.make("haproxy")), port_(free_port()),
      database_port_(free_port()) {
    write_file(folder_ / "base.cfg",
               "global\n  log stdout format raw daemon\ndefaults\n  log global\n");
    start();
}

void HaProxy::start() {
    const auto address = [](std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); };
    Command command{{machine::program("haproxy"), "-W", "-db", "-f",
                     (folder_ / "base.cfg").string(), "-f",
                     machine::source("conf/recipes/haproxy.cfg").string()}};
    command.environment = {{"USERADMIN_BIND", address(port_)},
                           {"USERADMIN_DATABASE_BIND", address(database_port_)}};
    for (std::size_t index = 0; index < servers_.httpds.size(); ++index) {
        const std::string number = std::to_string(index + 1);
        command.environment.insert(
            command.environment.end(),
            {{"USERADMIN_HTTPD_" + number, address(servers_.httpds.at(index))},
             {"USERADMIN_DATABASE_" + number, address(servers_.databases.at(index))},
             {"USERADMIN_PATRONI_" + number, address(servers_.patronis.at(index))}});
    }
    std::filesystem::remove(folder_ / "log");
    process_ = start_server("HAProxy", command, folder_ / "log", [this] {
        return read_file(folder_ / "log").find("Loading success") != std::string::npos;
    });
}

void HaProxy::kill() {
    process_.reset();
}

void HaProxy::reload() const {
    process_->signal(SIGUSR2);
}

} // namespace useradmin::test
