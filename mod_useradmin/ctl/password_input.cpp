#include "ctl/password_input.hpp"

#include "ctl/command_error.hpp"
#include "ctl/display.hpp"
#include "password/hash.hpp"
#include "password/length.hpp"
#include "text/printable.hpp"
#include "text/unicode.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>

namespace useradmin::ctl {

namespace {

using password::max_password_bytes;

/// Turns off the terminal's echo. Until it is restored, blocks the signals that would terminate or
/// stop the program.
class EchoOff {
  public:
    EchoOff() noexcept {
        sigset_t blocked;
        sigemptyset(&blocked);
        for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP})
            sigaddset(&blocked, number);
        sigprocmask(SIG_BLOCK, &blocked, &mask_);
        signals_ = signalfd(-1, &blocked, SFD_CLOEXEC);
        tcgetattr(STDIN_FILENO, &before_);
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    ~EchoOff() {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
        std::fputc('\n', stderr);
        close(signals_);
        sigprocmask(SIG_SETMASK, &mask_, nullptr);
    }
    EchoOff(const EchoOff&) = delete;
    EchoOff& operator=(const EchoOff&) = delete;

    /// Waits for input. Returns false if a signal arrives first.
    bool wait() const noexcept {
        pollfd waiting[] = {{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}};
        while (poll(waiting, 2, -1) < 0 && errno == EINTR) {
        }
        return waiting[1].revents == 0;
    }

  private:
    termios before_ = {};
    sigset_t mask_;
    int signals_;
};

/// Reads a line without stdio, whose buffer would retain the password. Stops after
/// max_password_bytes + 1 bytes or, if echo_off is given, at a signal.
crypto::Secret read_password_line(const EchoOff* echo_off) {
    std::string line;
    line.reserve(max_password_bytes + 2);
    char character = '\0';
    while ((echo_off == nullptr || echo_off->wait()) && read(STDIN_FILENO, &character, 1) == 1 &&
           character != '\n' && line.size() <= max_password_bytes)
        line += character;
    if (line.ends_with('\r'))
        line.pop_back();
    if (echo_off == nullptr && line.starts_with(text::byte_order_mark))
        line.erase(0, text::byte_order_mark.size());
    return crypto::Secret(std::move(line));
}

crypto::Secret ask(const char* question) {
    const EchoOff echo_off;
    std::fputs(question, stderr);
    return read_password_line(&echo_off);
}

bool has_terminal() {
    return isatty(STDIN_FILENO) == 1;
}

} // namespace

std::string password_problem(std::string_view password, LengthPolicy lengths) {
    if (password.size() > max_password_bytes || !text::is_clean_utf8(password))
        return "must be UTF-8 of at most " + std::to_string(max_password_bytes) + " bytes";
    const std::size_t length = text::utf16_length(password);
    if (lengths == LengthPolicy::standard &&
        (length < password::min_length || length > password::max_length))
        return "has " + count_of(length, "character", "characters") + ", but better-auth accepts " +
               std::to_string(password::min_length) + " to " +
               std::to_string(password::max_length) + "; use --force to set it anyway";
    return {};
}

crypto::Secret read_secret(const char* question) {
    return has_terminal() ? ask(question) : read_password_line(nullptr);
}

crypto::Secret read_password(LengthPolicy lengths) {
    crypto::Secret secret = read_secret("Password: ");
    if (secret.view().empty())
        throw UsageError(
            "no password was given; type it, or pass it as one line of standard input");
    if (const std::string problem = password_problem(secret.view(), lengths); !problem.empty())
        throw UsageError("the password " + problem);
    if (has_terminal() &&
        !crypto::constant_time_equal(secret.view(), ask("Repeat password: ").view()))
        throw UsageError("the passwords do not match; nothing was changed");
    return secret;
}

bool confirm(const std::string& question) {
    if (!has_terminal())
        throw UsageError(question + " Cannot ask for confirmation without a terminal; use --yes");
    std::fprintf(stderr, "%s [y/N] ", text::printable(question).c_str());
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

} // namespace useradmin::ctl
