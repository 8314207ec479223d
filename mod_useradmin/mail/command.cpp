#include "mail/command.hpp"

#include "ipc/descriptor.hpp"
#include "text/printable.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace useradmin::mail {

namespace {

using Clock = std::chrono::steady_clock;

void set_nonblocking(const ipc::Descriptor& file) noexcept {
    ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) | O_NONBLOCK);
}

struct Pipe {
    ipc::Descriptor reader;
    ipc::Descriptor writer;

    bool open() noexcept {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return false;
        reader = ipc::Descriptor(ends[0]);
        writer = ipc::Descriptor(ends[1]);
        return true;
    }
};

std::string text_of(int error) {
    return std::generic_category().message(error);
}

/// Starts the command in a new process group. Returns an errno value, or 0.
int spawn(pid_t& process, const char* const* command, const Pipe& input, const Pipe& output) {
    static constexpr const char* environment[] = {
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", nullptr};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (::posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    if (::posix_spawnattr_init(&attributes) != 0) {
        ::posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    // The command must not inherit the signals that httpd blocks or ignores.
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD})
        sigaddset(&defaults, signal);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                POSIX_SPAWN_SETPGROUP);
    int error = 0;
    for (const auto& [from, to] : {std::pair(input.reader.get(), STDIN_FILENO),
                                   {output.writer.get(), STDOUT_FILENO},
                                   {output.writer.get(), STDERR_FILENO}})
        if (error == 0)
            error = ::posix_spawn_file_actions_adddup2(&files, from, to);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    // APR's pipes are not closed on exec.
    if (error == 0)
        error = ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
    if (error == 0)
        error =
            ::posix_spawn(&process, command[0], &files, &attributes,
                          const_cast<char* const*>(command), const_cast<char* const*>(environment));
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    return error;
}

/// Reads the available output, up to 4 KiB, and appends it to `collected`, up to 200 bytes in
/// total. Returns false at the end of the output or on a read error.
bool read_output(int descriptor, std::string& collected) {
    constexpr std::size_t max_kept = 200;
    char bytes[4096];
    const ssize_t size = ::read(descriptor, bytes, sizeof bytes);
    if (size > 0)
        collected.append(bytes,
                         std::min(static_cast<std::size_t>(size), max_kept - collected.size()));
    return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

/// Waits for the process and returns its wait status. Appends its output to `collected`. At the
/// deadline, tries to kill the process group and returns std::nullopt.
std::optional<int> wait_for(pid_t process, int output, Clock::time_point deadline,
                            std::string& collected) {
    constexpr int poll_interval = 10; // ms; the output may stay open after the exit
    constexpr int unknown_status = 255 << 8;
    int status = 0;
    for (bool is_open = true;;) {
        const pid_t ended = ::waitpid(process, &status, WNOHANG);
        if (ended == process || (ended < 0 && errno != EINTR)) {
            read_output(output, collected);
            // If SIGCHLD is ignored, waitpid() fails with ECHILD, and the status is unknown.
            return ended == process ? status : unknown_status;
        }
        if (Clock::now() >= deadline) {
            ::kill(-process, SIGKILL);
            // A command that has changed its user cannot be killed, so do not wait for it.
            while (::kill(process, SIGKILL) == 0 && ::waitpid(process, &status, 0) < 0 &&
                   errno == EINTR)
                continue;
            return std::nullopt;
        }
        pollfd readable = {output, POLLIN, 0};
        if (::poll(&readable, is_open ? 1 : 0, poll_interval) > 0)
            is_open = read_output(output, collected);
    }
}

} // namespace

bool CommandMailer::fail(std::string_view reason) {
    log_.write(
        text::Level::error,
        std::string("UA0231: cannot send mail: ").append(command_[0]).append(" ").append(reason));
    return false;
}

bool CommandMailer::send(std::string_view message) {
    const Clock::time_point deadline = Clock::now() + limit_;
    Pipe input;
    Pipe output;
    if (!input.open() || !output.open())
        return fail("could not be started: " + text_of(errno));
    // The command is not running yet, so the whole message must fit into the pipe.
    set_nonblocking(input.writer);
    if (::write(input.writer.get(), message.data(), message.size()) !=
        static_cast<ssize_t>(message.size()))
        return fail("was not started: the message does not fit into a pipe");
    input.writer.close();
    pid_t process = 0;
    if (const int error = spawn(process, command_, input, output); error != 0)
        return fail("could not be started: " + text_of(error));
    input.reader.close();
    output.writer.close();
    set_nonblocking(output.reader);
    std::string reason;
    const std::optional<int> status = wait_for(process, output.reader.get(), deadline, reason);
    if (!status)
        return fail("did not exit within " + std::to_string(limit_.count() / 1000) +
                    " s (UserAdminTimeout)");
    if (*status == 0)
        return true;
    // Log only the first line. Other lines may quote the message with its link.
    reason = reason.substr(0, reason.find('\n'));
    return fail((WIFEXITED(*status)
                     ? "exited with status " + std::to_string(WEXITSTATUS(*status))
                     : "was terminated by signal " + std::to_string(WTERMSIG(*status))) +
                (reason.empty() ? "" : ": " + text::printable(reason)));
}

} // namespace useradmin::mail
