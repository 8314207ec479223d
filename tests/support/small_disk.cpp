#include "support/small_disk.hpp"

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/trouble.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace useradmin::test {

namespace {

/// Moves this process to a new mount namespace on the first call. Returns whether that succeeded.
/// Without root, this also requires a new user namespace.
bool has_own_mounts() {
    static const bool has = [] {
        const uid_t user = ::geteuid();
        const gid_t group = ::getegid();
        if (::unshare(running_as_root() ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return false;
        if (user != 0) {
            const auto map = [](unsigned id) {
                return std::to_string(id) + " " + std::to_string(id) + " 1\n";
            };
            write_file("/proc/self/setgroups", "deny");
            write_file("/proc/self/uid_map", map(user));
            write_file("/proc/self/gid_map", map(group));
        }
        return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    }();
    return has;
}

} // namespace

SmallDisk::SmallDisk(std::filesystem::path folder)
    : folder_(std::move(folder)),
      is_there_(has_own_mounts() &&
                ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=4m,mode=1777") == 0) {}

SmallDisk::~SmallDisk() {
    if (is_there_)
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
