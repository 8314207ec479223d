// Runs programs with their input on a pipe or a terminal.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace useradmin::test {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// The output and the exit status of a program.
struct ProgramResult {
    int status = -1; ///< the exit status, or 128 + the signal number if a signal ended it
    std::string output;
    std::string errors;
};

/// Runs a program with that string as its standard input, and waits for its end.
ProgramResult run_program(const std::vector<std::string>& words, std::string_view input,
                          const Environment& environment);

/// A program on a new terminal. The destructor kills it.
class Terminal {
  public:
    Terminal(const std::vector<std::string>& words, const Environment& environment);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Waits until the program prints the text after the previously awaited one.
    void await(std::string_view text);
    void type(std::string_view keys) const;
    /// Waits for the program's end. Returns its exit status as in ProgramResult. CppUTest evaluates
    /// it twice if a check fails.
    int status();
    /// Returns whether the terminal echoes its input.
    bool echoes() const;
    /// Returns everything printed so far.
    const std::string& screen() const noexcept { return screen_; }

  private:
    bool read_on();

    int master_ = -1;
    /// Kept open so that the settings of the terminal outlive the program.
    int slave_ = -1;
    pid_t child_ = -1;
    int status_ = -1;
    std::string screen_;
    std::size_t awaited_ = 0;
};

} // namespace useradmin::test
