// Programs that the tests start, and the accounts they run under.
#pragma once

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace useradmin::test {

/// An account of the machine.
struct Account {
    std::string name;
    std::string group;
    uid_t user_id = 0;
    gid_t group_id = 0;

    /// The first of the named accounts that the machine has; nothing where it has none of them.
    static std::optional<Account> first_of(std::initializer_list<const char*> names);

    /// Makes the file or folder, with all in it, this account's own.
    void take_ownership(const std::filesystem::path& path) const;
};

/// Whether the tests run as root: servers then run under accounts of their own.
bool running_as_root() noexcept;

/// What to run, and how.
struct Command {
    std::vector<std::string> words;
    std::vector<std::pair<std::string, std::string>> environment = {};
    std::optional<Account> account = {};
};

/// What a program left.
struct CommandResult {
    int status = -1; ///< its exit status; 128 and the signal's number where a signal ended it
    std::string output;
};

/// Runs a program to its end; its standard output and error come back as one text.
CommandResult run(const Command& command);

/// Polls until the condition holds, a minute at most; whether it came to hold.
template <typename Condition>
bool eventually(Condition condition, std::chrono::seconds bound = std::chrono::seconds(60));

/// A program that runs next to the tests, in a process group of its own. Its output goes to a file.
/// Whatever of it is still running when this goes is killed.
class Process {
  public:
    Process(const Command& command, const std::filesystem::path& output);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t id() const noexcept { return id_; }

    /// Whether the program itself is still running.
    bool running();

    void signal(int number) const;

    /// Waits for the program's end; false where it goes on past the bound.
    bool ended_within(std::chrono::seconds bound);

    /// Whether any process of the group is left.
    bool group_left() const;

  private:
    pid_t id_;
    bool reaped_ = false;
};

/// The processes that a process has started and that are still there.
std::vector<pid_t> children_of(pid_t parent);

/// What /proc has of a process or a thread, by its folder there, under that name of its status;
/// empty where there is no such process any more.
std::string status_field(const std::filesystem::path& folder, std::string_view name);

/// How many KiB of a process are in memory.
long resident_kib(const std::filesystem::path& folder = "/proc/self");

/// How many KiB the children of a process have in memory, together: now ("VmRSS"), or each at most
/// so far ("VmHWM").
long children_kib(pid_t parent, std::string_view figure);

/// Lets this process, and what it starts, have as many files and sockets open as it may.
void raise_file_limit() noexcept;

/// Whether there is no such process any more, or only what its parent has yet to take notice of.
bool has_ended(pid_t process);

/// The decimal number that a text begins with; 0 where it begins with none.
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
