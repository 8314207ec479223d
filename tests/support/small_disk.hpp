#pragma once

#include <filesystem>

namespace useradmin::test {

/// Mounts a tmpfs of 4 MiB, visible only to this process and its children. The destructor unmounts
/// it.
class SmallDisk {
  public:
    explicit SmallDisk(std::filesystem::path folder);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    /// Returns whether the file system is mounted. Not every machine or account allows this.
    explicit operator bool() const noexcept { return is_mounted_; }

    /// Fills the file system. free() makes room again.
    void fill() const;
    void free() const;

  private:
    std::filesystem::path folder_;
    bool is_mounted_ = false;
};

} // namespace useradmin::test
