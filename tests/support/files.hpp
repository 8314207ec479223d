// Files and folders of a test run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace useradmin::test {

/// A folder for one test executable that all accounts may enter. It is below $TMPDIR; otherwise in
/// memory if there is room, since a busy disk delays tests; otherwise below /tmp. The destructor
/// removes it with its content. With USERADMIN_TEST_KEEP in the environment, it is kept and its
/// path is printed.
class WorkFolder {
  public:
    WorkFolder();
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

    /// Creates a subfolder with the name.
    std::filesystem::path make(std::string_view name) const;

  private:
    std::filesystem::path path_;
};

/// Returns the content of the file; an empty string if it does not exist.
std::string read_file(const std::filesystem::path& path);

void write_file(const std::filesystem::path& path, std::string_view text);

} // namespace useradmin::test
