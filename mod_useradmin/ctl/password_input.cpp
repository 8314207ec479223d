#include "ctl/password_input.hpp"

#include "ctl/command_error.hpp"
#include "text/unicode.hpp"

#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace useradmin::ctl {

namespace {

constexpr std::size_t longest_password = 1024;

/// Keeps a terminal from showing what is typed.
class Silence {
  public:
    Silence() noexcept {
        tcgetattr(STDIN_FILENO, &before_);
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    ~Silence() {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
        std::fputc('\n', stderr);
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

  private:
    termios before_ = {};
};

/// Reads a line without a buffer of stdio's that would keep it.
password::Secret read_line() {
    std::string line;
    line.reserve(longest_password + 1);
    char character = '\0';
    while (read(STDIN_FILENO, &character, 1) == 1 && character != '\n' &&
           line.size() <= longest_password)
        line += character;
    if (line.ends_with('\r'))
        line.pop_back();
    return password::Secret(std::move(line));
}

password::Secret ask(const char* question) {
    std::fputs(question, stderr);
    const Silence silence;
    return read_line();
}

} // namespace

password::Secret read_password() {
    const bool is_terminal = isatty(STDIN_FILENO) == 1;
    password::Secret secret = is_terminal ? ask("Password: ") : read_line();
    if (secret.view().empty())
        throw CommandError(Exit::usage, "no password was given; type it, or send it on one line of "
                                        "standard input");
    if (secret.view().size() > longest_password || !text::is_clean_utf8(secret.view()))
        throw CommandError(Exit::usage, "the password must be UTF-8 of at most 1024 bytes");
    if (is_terminal && !password::equal_secrets(secret.view(), ask("Once more: ").view()))
        throw CommandError(Exit::usage, "the two passwords differ; nothing was done");
    return secret;
}

} // namespace useradmin::ctl
