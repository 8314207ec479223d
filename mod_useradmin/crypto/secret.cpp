#include "crypto/secret.hpp"

#include <openssl/crypto.h>

#include <utility>

namespace useradmin::crypto {

void wipe(void* bytes, std::size_t length) noexcept {
    OPENSSL_cleanse(bytes, length);
}

void wipe(std::string& text) noexcept {
    // Beyond its size, the string may contain bytes of an earlier, longer value. Resizing to the
    // capacity never allocates.
    text.resize(text.capacity());
    wipe(text.data(), text.size());
    text.clear();
}

// Moving a short std::string copies its bytes and leaves them in the source, so wipe each source.

Secret::Secret(std::string&& text) noexcept : text_(std::move(text)) {
    wipe(text);
}

Secret::Secret(Secret&& other) noexcept : Secret(std::move(other.text_)) {}

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this != &other) {
        wipe(text_);
        text_ = std::move(other.text_);
        wipe(other.text_);
    }
    return *this;
}

Secret::~Secret() {
    wipe(text_);
}

bool constant_time_equal(std::string_view left, std::string_view right) noexcept {
    return left.size() == right.size() &&
           CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

} // namespace useradmin::crypto
