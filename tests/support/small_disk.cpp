#include "support/small_disk.hpp"

#include "support/fail_test.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace useradmin::test {

namespace {

bool write_process_file(const char* path, const std::string& text) {
    std::ofstream file(path);
    return (file << text << std::flush).good();
}

/// Moves this process to a new mount namespace. Without root, this also requires a new user
/// namespace. Returns whether that succeeded; a failure may leave the process without a user id.
bool enter_new_namespaces() {
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    const auto identity_map = [](unsigned id) {
        return std::to_string(id) + " " + std::to_string(id) + " 1\n";
    };
    return ::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           (user == 0 || (write_process_file("/proc/self/setgroups", "deny") &&
                          write_process_file("/proc/self/uid_map", identity_map(user)) &&
                          write_process_file("/proc/self/gid_map", identity_map(group)))) &&
           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

/// Moves this process to a new mount namespace on the first call. Returns whether that succeeded.
bool has_own_mounts() {
    static const bool has = [] {
        // Some systems allow a new user namespace but no ID mappings in it, so try it in a child
        // first.
        const pid_t child = ::fork();
        if (child == 0)
            ::_exit(enter_new_namespaces() ? 0 : 1);
        int status = 1;
        return child > 0 && ::waitpid(child, &status, 0) == child && status == 0 &&
               enter_new_namespaces();
    }();
    return has;
}

} // namespace

SmallDisk::SmallDisk(std::filesystem::path folder)
    : folder_(std::move(folder)),
      is_mounted_(has_own_mounts() &&
                  ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=4m,mode=1777") == 0) {
    if (!is_mounted_)
        std::printf("\nskipped: this account cannot mount a file system here\n");
}

SmallDisk::~SmallDisk() {
    if (is_mounted_)
        ::umount2(folder_.c_str(), MNT_DETACH);
}

void SmallDisk::fill() const {
    const int file = ::open((folder_ / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string block(4096, 'x');
    while (::write(file, block.data(), block.size()) > 0) {
    }
    const bool is_full = errno == ENOSPC;
    ::close(file);
    if (!is_full)
        fail_test("the small disk cannot be filled");
}

void SmallDisk::free() const {
    std::filesystem::remove(folder_ / "filler");
}

} // namespace useradmin::test
