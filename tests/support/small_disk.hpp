// A file system that is soon full.
#pragma once

#include <filesystem>

namespace useradmin::test {

/// A file system in memory of a few MiB, in a folder, that this process and those which it starts
/// see alone. It goes with this object, at the latest with the last of them.
class SmallDisk {
  public:
    explicit SmallDisk(std::filesystem::path folder);
    ~SmallDisk();
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    /// Whether there is one: not every machine lets everybody make it.
    explicit operator bool() const noexcept { return is_there_; }

    /// Fills it up to the last byte, until free().
    void fill() const;
    void free() const;

  private:
    std::filesystem::path folder_;
    bool is_there_ = false;
};

} // namespace useradmin::test
