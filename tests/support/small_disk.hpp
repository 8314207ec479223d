// A small file system.
#pragma once

#include <filesystem>

namespace useradmin::test {

/// A file system of a few MiB in memory, mounted in a folder, visible only to this process and
/// those it starts. It exists until this object is destroyed or the last of those processes ends.
class SmallDisk {
  public:
    explicit SmallDisk(std::filesystem::path folder);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    /// Returns whether it was created: not every machine or account allows it.
    explicit operator bool() const noexcept { return is_there_; }

    /// Fills it completely, until free().
    void fill() const;
    void free() const;

  private:
    std::filesystem::path folder_;
    bool is_there_ = false;
};

} // namespace useradmin::test
