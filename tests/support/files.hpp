#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace useradmin::test {

/// Creates a temporary directory that all accounts may enter. It is in $TMPDIR if that is set.
/// Otherwise, it is in /dev/shm if there is room, because a busy disk delays tests, or else in
/// /tmp. The destructor removes it unless USERADMIN_TEST_KEEP is set in the environment.
class WorkFolder {
  public:
    WorkFolder();
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

    std::filesystem::path make(std::string_view name) const;

  private:
    std::filesystem::path path_;
};

/// Returns the content of the file, or an empty string if it cannot be read.
std::string read_file(const std::filesystem::path& path);

void write_file(const std::filesystem::path& path, std::string_view text);

} // namespace useradmin::test
