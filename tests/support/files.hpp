// Files and folders of a test run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace useradmin::test {

/// A folder of its own for one test executable that every account of the machine may enter: below
/// $TMPDIR, or else in memory where there is room, since a disk that others keep busy holds up what
/// a test waits for, or else below /tmp. It is removed with all that is in it when this goes; with
/// USERADMIN_TEST_KEEP in the environment it stays, and its path is printed.
class WorkFolder {
  public:
    WorkFolder();
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

    /// Makes a folder of this name inside.
    std::filesystem::path make(std::string_view name) const;

  private:
    std::filesystem::path path_;
};

/// The whole file; an empty text where there is none.
std::string read_file(const std::filesystem::path& path);

void write_file(const std::filesystem::path& path, std::string_view text);

} // namespace useradmin::test
