// Strings and buffers that are wiped on destruction.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace useradmin::crypto {

/// Overwrites the bytes. The compiler cannot optimize this away.
void wipe(void* bytes, std::size_t length) noexcept;

/// Overwrites the string's memory up to its capacity and leaves the string empty.
void wipe(std::string& text) noexcept;

/// A zero-initialized array of bytes that the destructor wipes.
template <std::size_t Size>
class SecretBytes {
  public:
    SecretBytes() noexcept = default;
    SecretBytes(const SecretBytes&) = delete;
    SecretBytes& operator=(const SecretBytes&) = delete;
    ~SecretBytes() { wipe(bytes_.data(), Size); }

    unsigned char* data() noexcept { return bytes_.data(); }
    static constexpr std::size_t size() noexcept { return Size; }
    std::string_view view() const noexcept {
        return {reinterpret_cast<const char*>(bytes_.data()), Size};
    }

  private:
    std::array<unsigned char, Size> bytes_{};
};

/// A string that the destructor wipes. The string cannot be copied and never reallocates.
class Secret {
  public:
    Secret() noexcept = default;
    /// Moves the string and wipes the source. Moving a short string would otherwise leave its bytes
    /// in the source.
    explicit Secret(std::string&& text) noexcept;
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret();

    std::string_view view() const noexcept { return text_; }

  private:
    std::string text_;
};

/// Compares two secrets in time that depends only on their lengths.
bool constant_time_equal(std::string_view left, std::string_view right) noexcept;

} // namespace useradmin::crypto
