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

FileAccess own_access(const std::string& file, const std::string& directory) noexcept {
    if (access(directory.c_str(), R_OK | W_OK | X_OK) != 0)
        return FileAccess::unreachable;
    return access(file.c_str(), R_OK | W_OK) == 0 ? FileAccess::full : FileAccess::denied;
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

std::string directory_of(const std::string& file) {
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::weakly_canonical(file, ignored);
    return (ignored ? std::filesystem::path(file) : real).parent_path().string();
}

FileAccess access_of(const Account& account, const std::string& file) {
    const std::string directory = directory_of(file);
    if (geteuid() == account.user)
        return own_access(file, directory);
    if (geteuid() != 0)
        return FileAccess::unknown;
    // A process cannot regain root after setuid(), so a child switches to the account.
    const pid_t child = fork();
    if (child == 0) {
        const bool has_changed = initgroups(account.name.c_str(), account.group) == 0 &&
                                 setgid(account.group) == 0 && setuid(account.user) == 0;
        _exit(static_cast<int>(has_changed ? own_access(file, directory) : FileAccess::unknown));
    }
    int status = 0;
    const bool has_exited = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    return has_exited ? static_cast<FileAccess>(WEXITSTATUS(status)) : FileAccess::unknown;
}

std::string describe_access(const std::string& file) {
    return owner_and_mode(file) + ", in " + owner_and_mode(directory_of(file));
}

} // namespace useradmin::ctl
