// Programs that the tests start, and their accounts.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace useradmin::test {

/// A system account.
struct Account {
    std::string name;
    std::string group;
    uid_t user_id = 0;
    gid_t group_id = 0;

    /// Returns the first of the named accounts that exists, or nothing.
    static std::optional<Account> first_of(std::initializer_list<const char*> names);

    /// Makes this account the owner of the file or folder and its content.
    void take_ownership(const std::filesystem::path& path) const;
};

/// Returns whether the tests run as root. Servers then run under other accounts.
bool running_as_root() noexcept;

/// A program to run, with its environment and account.
struct Command {
    std::vector<std::string> words;
    std::vector<std::pair<std::string, std::string>> environment = {};
    std::optional<Account> account = {};
};

/// The result of a program.
struct CommandResult {
    int status = -1; ///< the exit status; 128 plus the signal's number if a signal ended it
    std::string output;
};

/// Runs a program to its end. Returns its standard output and error in one string.
CommandResult run(const Command& command);

/// Polls until the condition is true, up to the bound. Returns whether it was.
template <typename Condition>
bool eventually(Condition condition, std::chrono::seconds bound = std::chrono::seconds(60));

/// A program that runs in parallel to the tests, in its own process group. Its output goes to a
/// file. The destructor kills the rest of the group.
class Process {
  public:
    Process(const Command& command, const std::filesystem::path& output);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t id() const noexcept { return id_; }

    /// Returns whether the program itself is still running.
    bool running();

    void signal(int number) const;

    /// Waits for the end of the program. Returns false on timeout.
    bool ended_within(std::chrono::seconds bound);

    /// Returns whether any process of the group is left.
    bool group_left() const;

  private:
    pid_t id_;
    bool reaped_ = false;
};

/// Starts a server with its output in the log, and waits until the condition is true. Fails the
/// test with the log if the server ends first.
std::unique_ptr<Process> start_server(const std::string& name, const Command& command,
                                      const std::filesystem::path& log,
                                      const std::function<bool()>& is_ready);

/// Sends a signal to a process and its children.
void signal_with_children(pid_t process, int number);

/// Returns the existing children of a process.
std::vector<pid_t> children_of(pid_t parent);

/// Returns a field of a status file in /proc for a process or thread, given its folder; empty if it
/// does not exist.
std::string status_field(const std::filesystem::path& folder, std::string_view name);

/// Returns the resident memory of a process in KiB.
long resident_kib(const std::filesystem::path& folder = "/proc/self");

/// Returns the resident memory of a process's children in KiB: the sum of the current ("VmRSS") or
/// the peak sizes ("VmHWM").
long children_kib(pid_t parent, std::string_view figure);

/// Raises the limit of open files for this process and those it starts.
void raise_file_limit() noexcept;

/// Returns whether the process does not exist or is a zombie.
bool has_ended(pid_t process);

/// Returns the decimal number at the start of the text, or 0.
long number_in(std::string_view text) noexcept;

void pause_shortly();

template <typename Condition>
bool eventually(Condition condition, std::chrono::seconds bound) {
    const auto end = std::chrono::steady_clock::now() + bound;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        pause_shortly();
    }
    return true;
}

} // namespace useradmin::test
