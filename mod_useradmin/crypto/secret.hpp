// Memory that holds a secret.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace useradmin::crypto {

/// Overwrites the bytes in a way that no optimiser removes.
void wipe(void* bytes, std::size_t length) noexcept;

/// Overwrites all that the text's memory holds, also past its end, and leaves it empty.
void wipe(std::string& text) noexcept;

/// So many bytes, zero at first, that are wiped when they go.
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

/// A text that is wiped when it goes. It is never copied, and never grows behind its owner's back.
class Secret {
  public:
    Secret() noexcept = default;
    /// Takes the text over and wipes what a short one leaves behind.
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

/// Whether two secrets are the same, in a time that depends on their lengths alone.
bool constant_time_equal(std::string_view left, std::string_view right) noexcept;

} // namespace useradmin::crypto
