#include "support/files.hpp"

#include "support/fail_test.hpp"
#include "support/process.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace useradmin::test {

namespace {

/// Returns whether all accounts have search permission on the directory and its parents.
bool is_accessible(std::filesystem::path folder) {
    for (;; folder = folder.parent_path()) {
        const auto rights = std::filesystem::status(folder).permissions();
        if ((rights & std::filesystem::perms::others_exec) == std::filesystem::perms::none)
            return false;
        if (folder == folder.parent_path())
            return true;
    }
}

/// Returns whether the directory is on a writable tmpfs without noexec that has enough room for
/// all tests to run simultaneously.
bool is_large_tmpfs(const char* folder) {
    constexpr std::uint64_t enough = std::uint64_t{6} << 30;
    struct statfs system = {};
    return ::statfs(folder, &system) == 0 && system.f_type == TMPFS_MAGIC &&
           (static_cast<unsigned long>(system.f_flags) & ST_NOEXEC) == 0 &&
           system.f_bavail * static_cast<std::uint64_t>(system.f_bsize) >= enough &&
           ::access(folder, W_OK | X_OK) == 0;
}

std::filesystem::path base_folder() {
    constexpr const char* memory = "/dev/shm";
    if (std::getenv("TMPDIR") == nullptr && is_large_tmpfs(memory))
        return memory;
    std::error_code none;
    const auto folder =
        std::filesystem::canonical(std::filesystem::temp_directory_path(none), none);
    // The path of PostgreSQL's socket in a subdirectory is limited to 107 characters. If the tests
    // run as root, the servers run under other accounts, which need access.
    const bool is_short = !folder.empty() && folder.native().size() < 60;
    return is_short && (!running_as_root() || is_accessible(folder)) ? folder : "/tmp";
}

} // namespace

WorkFolder::WorkFolder() {
    std::string name = base_folder() / "useradmin-XXXXXX";
    if (!::mkdtemp(name.data()))
        fail_test("cannot make a work directory " + name + ": " + std::strerror(errno) +
                  "; point TMPDIR to a writable directory");
    path_ = name;
    if (::chmod(path_.c_str(), 0755) != 0)
        fail_test("cannot open " + name + " to other accounts: " + std::strerror(errno));
}

WorkFolder::~WorkFolder() {
    if (std::getenv("USERADMIN_TEST_KEEP")) {
        std::printf("kept: %s\n", path_.c_str());
        return;
    }
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path WorkFolder::make(std::string_view name) const {
    auto folder = path_ / name;
    std::filesystem::create_directories(folder);
    return folder;
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file)
        fail_test("cannot write " + path.string());
}

} // namespace useradmin::test
