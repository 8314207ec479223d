#pragma once

#include <unistd.h>

#include <utility>

namespace useradmin::ipc {

/// Owns a file descriptor, and closes it at the end of its lifetime.
class Descriptor {
  public:
    /// A negative descriptor is not open.
    explicit Descriptor(int descriptor = -1) noexcept : descriptor_(descriptor) {}
    Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~Descriptor() { close(); }

    void close() noexcept {
        if (descriptor_ >= 0)
            ::close(std::exchange(descriptor_, -1));
    }
    int get() const noexcept { return descriptor_; }

  private:
    int descriptor_;
};

} // namespace useradmin::ipc
