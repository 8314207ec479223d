#include "ctl/file_access.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace useradmin::ctl {

namespace {

FileAccess own_access(const std::string& file, const std::string& folder) noexcept {
    if (access(folder.c_str(), F_OK) != 0)
        return FileAccess::unreachable;
    const bool is_full =
        access(folder.c_str(), R_OK | W_OK | X_OK) == 0 && access(file.c_str(), R_OK | W_OK) == 0;
    return is_full ? FileAccess::full : FileAccess::denied;
}

/// Runs a function with an account's privileges. Unless the process already runs as the account,
/// forks a child. This requires root. Returns the function's result, or std::nullopt on failure.
/// The result must be less than 255.
template <class Function>
std::optional<int> run_as(const Account& account, const Function& function) {
    if (geteuid() == account.user)
        return function();
    if (geteuid() != 0)
        return std::nullopt;
    constexpr int failed = 255;
    // A process cannot regain root after setuid(), so a child switches to the account.
    const pid_t child = fork();
    if (child == 0) {
        const bool has_changed = initgroups(account.name.c_str(), account.group) == 0 &&
                                 setgid(account.group) == 0 && setuid(account.user) == 0;
        _exit(has_changed ? function() : failed);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) == failed)
        return std::nullopt;
    return WEXITSTATUS(status);
}

std::string owner_and_mode(const std::string& path) {
    struct stat about {};
    if (stat(path.c_str(), &about) != 0)
        return path + " (" + std::generic_category().message(errno) + ")";
    const passwd* const owner = getpwuid(about.st_uid);
    const std::string name =
        owner != nullptr ? owner->pw_name : std::to_string(static_cast<unsigned>(about.st_uid));
    const group* const members = getgrgid(about.st_gid);
    const std::string group_name =
        members != nullptr ? members->gr_name : std::to_string(static_cast<unsigned>(about.st_gid));
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(about.st_mode & 07777));
    return path + " (owner " + name + ":" + group_name + ", mode " + mode.data() + ")";
}

} // namespace

std::string folder_of(const std::string& file) {
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::weakly_canonical(file, ignored);
    return (ignored ? std::filesystem::path(file) : real).parent_path().string();
}

FileAccess access_of(const Account& account, const std::string& file) {
    const std::string folder = folder_of(file);
    const auto access =
        run_as(account, [&]() noexcept { return static_cast<int>(own_access(file, folder)); });
    return access ? static_cast<FileAccess>(*access) : FileAccess::unknown;
}

std::optional<bool> may_execute(const Account& account, const std::string& program) {
    const auto answer =
        run_as(account, [&]() noexcept { return ::access(program.c_str(), X_OK) == 0 ? 1 : 0; });
    return answer ? std::optional(*answer == 1) : std::nullopt;
}

std::string describe_access(const std::string& file) {
    return owner_and_mode(file) + ", in " + owner_and_mode(folder_of(file));
}

} // namespace useradmin::ctl
