// A program that is given its input, on a pipe or on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace useradmin::test {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// What a program left.
struct ProgramResult {
    int status = -1; ///< its exit status; 128 and the signal's number where a signal ended it
    std::string output;
    std::string errors;
};

/// Runs a program to its end with that text as its standard input.
ProgramResult run_program(const std::vector<std::string>& words, std::string_view input,
                          const Environment& environment);

/// A program on a terminal of its own. Killed when this goes.
class Terminal {
  public:
    Terminal(const std::vector<std::string>& words, const Environment& environment);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Waits until the program shows the text, after what was awaited before.
    void await(std::string_view text);
    void type(std::string_view keys) const;
    /// Waits for the program's end; its exit status as in Ended. CppUTest asks for it twice where a
    /// check fails.
    int status();
    /// Whether the terminal shows what is typed.
    bool echoes() const;
    /// All that it shows.
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
