#pragma once

#include <array>
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

struct Account {
    std::string name;
    std::string group;
    uid_t user_id = 0;
    gid_t group_id = 0;

    /// Returns the first of these accounts that exists, or std::nullopt.
    static std::optional<Account> first_of(std::initializer_list<const char*> names);

    /// Makes this account the owner of a file, or of a directory and its content.
    void take_ownership(const std::filesystem::path& path) const;
};

/// Returns whether the tests run as root. If so, servers run under other accounts.
bool running_as_root() noexcept;

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Command {
    std::vector<std::string> words;
    Environment environment = {};
    std::optional<Account> account = {};
};

struct CommandResult {
    int status = -1; ///< the exit status, or 128 plus the signal that killed the program
    std::string output;
    std::string errors;
};

/// Starts a program in a new process group, or in a new session if its standard input is a
/// terminal. descriptors: its standard input, output and error. Returns its PID.
pid_t start(const Command& command, const std::array<int, 3>& descriptors);

/// Waits until a child exits. Returns its status as in CommandResult.
int wait_for(pid_t child);

/// Waits for data and appends it to `into`. Returns false at the end of the file or on an error.
bool read_some(int descriptor, std::string& into);

/// Runs a program and waits until it exits. input: its standard input, which must fit into a pipe's
/// buffer.
CommandResult run(const Command& command, std::string_view input = {});

/// Polls until the condition is true or the time is up. Returns whether it became true.
template <typename Condition>
bool eventually(Condition condition, std::chrono::seconds bound = std::chrono::seconds(60));

/// Runs a program in the background, in a new process group. Appends its output to a file. The
/// destructor kills all processes of the group.
class Process {
  public:
    Process(const Command& command, const std::filesystem::path& output);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t id() const noexcept { return id_; }

    /// Returns whether the program is still running, regardless of its children.
    bool running();

    void signal(int number) const;

    /// Waits until the program exits. Returns false on timeout.
    bool exits_within(std::chrono::seconds bound);

    /// Returns whether any process of the group exists.
    bool has_processes() const;

  private:
    pid_t id_;
    bool reaped_ = false;
};

/// Starts a server with its output in the log, and waits until is_ready() returns true. If the
/// server exits or takes longer than a minute, fails the test and shows the log.
std::unique_ptr<Process> start_server(const std::string& name, const Command& command,
                                      const std::filesystem::path& log,
                                      const std::function<bool()>& is_ready);

/// Sends a signal to a process and its direct children.
void signal_with_children(pid_t process, int number);

/// Returns the direct children of a process.
std::vector<pid_t> children_of(pid_t parent);

/// Returns a field of the file "status" in a process's or thread's directory in /proc. Returns an
/// empty string if the file or the field does not exist.
std::string status_field(const std::filesystem::path& folder, std::string_view name);

/// Returns the resident memory of a process in KiB, without pages of files, because the system can
/// drop and read those at any time. folder: the process's directory in /proc.
long resident_kib(const std::filesystem::path& folder = "/proc/self");

/// Returns the resident memory of a process's children in KiB: the sum of their current sizes
/// ("VmRSS") or peak sizes ("VmHWM").
long children_kib(pid_t parent, std::string_view figure);

/// Raises the soft limit on open files to the hard limit, for this process and later children.
void raise_file_limit() noexcept;

/// Returns whether the process does not exist or is a zombie.
bool has_ended(pid_t process);

/// Returns the decimal number at the start of the text, or 0.
long parse_number(std::string_view text) noexcept;

void pause_briefly();

template <typename Condition>
bool eventually(Condition condition, std::chrono::seconds bound) {
    const auto end = std::chrono::steady_clock::now() + bound;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        pause_briefly();
    }
    return true;
}

} // namespace useradmin::test
