#pragma once

#include "support/process.hpp"

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace useradmin::test {

/// Runs a program on a new terminal. The destructor kills it.
class Terminal {
  public:
    Terminal(const std::vector<std::string>& words, const Environment& environment);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Waits until the program prints the text after the text of the previous call. Fails the test
    /// if the program exits first or prints nothing for 60 seconds.
    void await(std::string_view text);
    void type(std::string_view keys) const;
    /// Waits until the program exits. Returns its exit status as in CommandResult. Can be called
    /// twice, because CppUTest evaluates the arguments of a failed check again.
    int status();
    /// Returns whether the terminal echoes its input.
    bool has_echo() const;
    /// Returns all output so far.
    const std::string& screen() const noexcept { return screen_; }

  private:
    bool read_more();

    int master_ = -1;
    /// Kept open so that the terminal's settings outlive the program.
    int slave_ = -1;
    pid_t child_ = -1;
    int status_ = -1;
    std::string screen_;
    std::size_t awaited_ = 0;
};

} // namespace useradmin::test
