#include "program.hpp"

#include "support/trouble.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char** environ;

namespace useradmin::test {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (auto& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> with_environment(const Environment& environment) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry)
        all.emplace_back(*entry);
    for (const auto& [name, value] : environment)
        all.emplace_back(name).append("=").append(value);
    return all;
}

/// Starts the program with these file descriptors. If they are a terminal, starts it in a new
/// session.
pid_t start(std::vector<std::string> words, const Environment& environment,
            const std::array<int, 3>& descriptors, bool on_terminal) {
    const auto arguments = pointers_to(words);
    auto variables = with_environment(environment);
    const auto entries = pointers_to(variables);
    const pid_t child = ::fork();
    if (child < 0)
        fail_test(std::string("cannot start ") + words[0] + ": " + std::strerror(errno));
    if (child > 0)
        return child;
    if (on_terminal) {
        ::setsid();
        ::ioctl(descriptors[0], TIOCSCTTY, 0);
    }
    for (int number = 0; number < 3; ++number)
        ::dup2(descriptors[static_cast<std::size_t>(number)], number);
    ::execve(arguments[0], arguments.data(), entries.data());
    ::_exit(127);
}

int ended(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::array<int, 2> new_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        fail_test(std::string("no pipe: ") + std::strerror(errno));
    return ends;
}

/// Appends the available output. Returns false at the end of the output.
bool read_some(int descriptor, std::string& into) {
    std::array<char, 4096> part{};
    const auto got = ::read(descriptor, part.data(), part.size());
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return false;
    into.append(part.data(), static_cast<std::size_t>(got));
    return true;
}

} // namespace

ProgramResult run_program(const std::vector<std::string>& words, std::string_view input,
                          const Environment& environment) {
    const auto in = new_pipe();
    const auto out = new_pipe();
    const auto err = new_pipe();
    const pid_t child = start(words, environment, {in[0], out[1], err[1]}, false);
    for (int end : {in[0], out[1], err[1]})
        ::close(end);
    // The input fits into the pipe. A program that exits without reading it must not end the tests.
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    const auto sent = ::write(in[1], input.data(), input.size());
    std::signal(SIGPIPE, old);
    ::close(in[1]);
    if (sent < 0 && errno != EPIPE)
        fail_test(std::string("the input was not taken: ") + std::strerror(errno));
    ProgramResult result;
    std::array<pollfd, 2> open = {pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
    std::array<std::string*, 2> texts = {&result.output, &result.errors};
    while (open[0].fd >= 0 || open[1].fd >= 0) {
        ::poll(open.data(), open.size(), -1);
        for (std::size_t each = 0; each < open.size(); ++each)
            if (open[each].fd >= 0 && open[each].revents != 0 &&
                !read_some(open[each].fd, *texts[each])) {
                ::close(open[each].fd);
                open[each].fd = -1;
            }
    }
    result.status = ended(child);
    return result;
}

Terminal::Terminal(const std::vector<std::string>& words, const Environment& environment) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0)
        fail_test(std::string("no terminal: ") + std::strerror(errno));
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    child_ = start(words, environment, {slave_, slave_, slave_}, true);
}

Terminal::~Terminal() {
    if (child_ > 0) {
        ::kill(child_, SIGKILL);
        ended(child_);
    }
    ::close(slave_);
    ::close(master_);
}

void Terminal::await(std::string_view text) {
    std::size_t found = std::string::npos;
    while ((found = screen_.find(text, awaited_)) == std::string::npos)
        if (!read_on())
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
    status_ = ended(child_);
    child_ = -1;
    pollfd waiting{master_, POLLIN, 0};
    while (::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0 &&
           read_some(master_, screen_)) {
    }
    return status_;
}

bool Terminal::echoes() const {
    termios settings{};
    ::tcgetattr(master_, &settings);
    return (settings.c_lflag & ECHO) != 0;
}

bool Terminal::read_on() {
    pollfd waiting{master_, POLLIN, 0};
    return ::poll(&waiting, 1, 30000) > 0 && read_some(master_, screen_);
}

} // namespace useradmin::test
