#include "terminal.hpp"

#include "support/fail_test.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace useradmin::test {

Terminal::Terminal(const std::vector<std::string>& words, const Environment& environment) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0)
        fail_test(std::string("no terminal: ") + std::strerror(errno));
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    child_ = start({words, environment}, {slave_, slave_, slave_});
}

Terminal::~Terminal() {
    if (child_ > 0) {
        ::kill(child_, SIGKILL);
        wait_for(child_);
    }
    ::close(slave_);
    ::close(master_);
}

void Terminal::await(std::string_view text) {
    std::size_t found = std::string::npos;
    while ((found = screen_.find(text, awaited_)) == std::string::npos)
        if (!read_more())
            fail_test("the terminal does not show '" + std::string(text) + "' but:\n" + screen_);
    awaited_ = found + text.size();
}

void Terminal::type(std::string_view keys) const {
    if (::write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
        fail_test(std::string("the terminal does not take keys: ") + std::strerror(errno));
}

int Terminal::status() {
    if (child_ < 0)
        return status_;
    status_ = wait_for(child_);
    child_ = -1;
    pollfd waiting{master_, POLLIN, 0};
    while (::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0 &&
           read_some(master_, screen_)) {
    }
    return status_;
}

bool Terminal::has_echo() const {
    termios settings{};
    ::tcgetattr(master_, &settings);
    return (settings.c_lflag & ECHO) != 0;
}

bool Terminal::read_more() {
    pollfd waiting{master_, POLLIN, 0};
    return ::poll(&waiting, 1, 60000) > 0 && read_some(master_, screen_);
}

} // namespace useradmin::test
