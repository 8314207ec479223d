#include "support/process.hpp"

#include "support/fail_test.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace useradmin::test {

namespace {

/// Returns a null-terminated array of pointers to the strings. They are valid as long as the
/// strings.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_of(const Command& command) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        bool replaced = false;
        for (const auto& [name, value] : command.environment)
            replaced = replaced || text.starts_with(name + "=");
        if (!replaced)
            all.emplace_back(text);
    }
    for (const auto& [name, value] : command.environment)
        all.push_back(name + "=" + value);
    return all;
}

std::array<int, 2> new_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        fail_test(std::string("no pipe: ") + std::strerror(errno));
    return ends;
}

void write_input(int descriptor, std::string_view input) {
    // If the program exits without reading its input, SIGPIPE must not kill the tests.
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    const auto sent = ::write(descriptor, input.data(), input.size());
    const int error = errno;
    std::signal(SIGPIPE, old);
    if (sent < 0 && error != EPIPE)
        fail_test(std::string("the input was not taken: ") + std::strerror(error));
}

} // namespace

std::optional<Account> Account::first_of(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const ::passwd* entry = ::getpwnam(name);
        if (!entry)
            continue;
        Account account{name, "", entry->pw_uid, entry->pw_gid};
        const ::group* set_owner = ::getgrgid(entry->pw_gid);
        account.group = set_owner ? set_owner->gr_name : "#" + std::to_string(account.group_id);
        return account;
    }
    return {};
}

void Account::take_ownership(const std::filesystem::path& path) const {
    const auto own = [this](const std::filesystem::path& each) {
        if (::lchown(each.c_str(), user_id, group_id) != 0)
            fail_test("cannot give " + each.string() + " to " + name + ": " + std::strerror(errno));
    };
    own(path);
    if (std::filesystem::is_directory(path))
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
            own(entry.path());
}

bool running_as_root() noexcept {
    return ::geteuid() == 0;
}

// Allocates nothing between fork() and execve(), because another thread may hold the allocator's
// lock.
pid_t start(const Command& command, const std::array<int, 3>& descriptors) {
    auto words = command.words;
    auto arguments = pointers_to(words);
    auto variables = environment_of(command);
    auto environment = pointers_to(variables);
    const bool is_on_terminal = ::isatty(descriptors[0]) == 1;
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0)
        fail_test(std::string("cannot start ") + words.front() + ": " + std::strerror(errno));
    if (child > 0) {
        // Both processes call setpgid(), so neither has to wait for the other.
        if (!is_on_terminal)
            ::setpgid(child, child);
        return child;
    }
    if (is_on_terminal) {
        ::setsid();
        ::ioctl(descriptors[0], TIOCSCTTY, 0);
    } else {
        ::setpgid(0, 0);
    }
    if (command.account) {
        const gid_t group = command.account->group_id;
        if (::setgroups(1, &group) != 0 || ::setgid(group) != 0 ||
            ::setuid(command.account->user_id) != 0)
            ::_exit(126);
    }
    // If the test executable is killed, the kernel sends SIGTERM to its servers.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent)
        ::_exit(126);
    for (int number = 0; number < 3; ++number)
        ::dup2(descriptors[static_cast<std::size_t>(number)], number);
    ::execve(arguments.front(), arguments.data(), environment.data());
    ::_exit(127);
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

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

CommandResult run(const Command& command, std::string_view input) {
    const auto in = new_pipe();
    const auto out = new_pipe();
    const auto err = new_pipe();
    const pid_t child = start(command, {in[0], out[1], err[1]});
    for (int end : {in[0], out[1], err[1]})
        ::close(end);
    if (!input.empty())
        write_input(in[1], input);
    ::close(in[1]);
    CommandResult result;
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
    result.status = wait_for(child);
    return result;
}

std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> children;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const auto process = static_cast<pid_t>(parse_number(entry.path().filename().string()));
        if (process != 0 && parse_number(status_field(entry.path(), "PPid")) == parent)
            children.push_back(process);
    }
    return children;
}

std::string status_field(const std::filesystem::path& folder, std::string_view name) {
    std::ifstream status(folder / "status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name) && line.compare(name.size(), 2, ":\t") == 0)
            return line.substr(
                std::min(line.find_first_not_of(" \t", name.size() + 1), line.size()));
    return {};
}

long resident_kib(const std::filesystem::path& folder) {
    return parse_number(status_field(folder, "RssAnon"));
}

long children_kib(pid_t parent, std::string_view figure) {
    long sum = 0;
    for (const pid_t child : children_of(parent))
        sum += parse_number(status_field("/proc/" + std::to_string(child), figure));
    return sum;
}

void raise_file_limit() noexcept {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

bool has_ended(pid_t process) {
    const std::string state = status_field("/proc/" + std::to_string(process), "State");
    return state.empty() || state.front() == 'Z';
}

long parse_number(std::string_view text) noexcept {
    long number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

void pause_briefly() {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

Process::Process(const Command& command, const std::filesystem::path& output) {
    const int file =
        ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0)
        fail_test("cannot write " + output.string() + ": " + std::strerror(errno));
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    id_ = start(command, {nothing, file, file});
    ::close(nothing);
    ::close(file);
}

Process::~Process() {
    if (has_processes())
        ::kill(-id_, SIGKILL);
    if (!reaped_)
        ::waitpid(id_, nullptr, 0);
}

bool Process::running() {
    if (!reaped_)
        reaped_ = ::waitpid(id_, nullptr, WNOHANG) == id_;
    return !reaped_;
}

void Process::signal(int number) const {
    if (!reaped_)
        ::kill(id_, number);
}

bool Process::exits_within(std::chrono::seconds bound) {
    return eventually([this] { return !running(); }, bound);
}

bool Process::has_processes() const {
    return ::kill(-id_, 0) == 0;
}

std::unique_ptr<Process> start_server(const std::string& name, const Command& command,
                                      const std::filesystem::path& log,
                                      const std::function<bool()>& is_ready) {
    auto server = std::make_unique<Process>(command, log);
    const bool has_begun = eventually([&] { return !server->running() || is_ready(); });
    if (!has_begun || !server->running())
        fail_test(name + " did not start:\n" + read_file(log));
    return server;
}

void signal_with_children(pid_t process, int number) {
    // A stopped process cannot create children.
    ::kill(process, SIGSTOP);
    const std::vector<pid_t> children = children_of(process);
    ::kill(process, number);
    for (const pid_t child : children)
        ::kill(child, number);
}

} // namespace useradmin::test
