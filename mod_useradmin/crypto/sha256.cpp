#include "crypto/sha256.hpp"

#include "text/hex.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <new>

namespace useradmin::crypto {

namespace {

/// Returns the SHA-256 algorithm. Fetches it only once: with EVP_sha256(), OpenSSL 3 would fetch it
/// for each digest, and that takes longer than hashing a short string.
const EVP_MD* algorithm() noexcept {
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
    static const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> found(
        EVP_MD_fetch(nullptr, "SHA256", nullptr), EVP_MD_free);
    if (found)
        return found.get();
#endif
    return EVP_sha256();
}

Digest digest_of(std::string_view bytes) {
    Digest digest;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm(), nullptr) != 1)
        throw std::bad_alloc();
    return digest;
}

} // namespace

Digest digest(std::span<const std::string_view> texts) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                          EVP_MD_CTX_free);
    Digest digest;
    bool is_done = context && EVP_DigestInit_ex(context.get(), algorithm(), nullptr) == 1;
    for (const std::string_view text : texts) {
        const std::uint64_t length = text.size();
        is_done = is_done && EVP_DigestUpdate(context.get(), &length, sizeof length) == 1 &&
                  EVP_DigestUpdate(context.get(), text.data(), text.size()) == 1;
    }
    if (!is_done || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1)
        throw std::bad_alloc();
    return digest;
}

std::string hex(const Digest& digest) {
    return text::hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string sha256_hex(std::string_view bytes) {
    return hex(digest_of(bytes));
}

std::string sha256_base64(std::string_view bytes) {
    const Digest digest = digest_of(bytes);
    return base64_of({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string base64_of(std::string_view bytes) {
    if (bytes.size() > INT_MAX / 2)
        throw std::bad_alloc();
    // EVP_EncodeBlock also writes a null terminator.
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                       reinterpret_cast<const unsigned char*>(bytes.data()),
                                       static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::string base64url_of(std::string base64) {
    std::replace(base64.begin(), base64.end(), '+', '-');
    std::replace(base64.begin(), base64.end(), '/', '_');
    base64.resize(std::min(base64.find('='), base64.size()));
    return base64;
}

std::string sha256_base64url(std::string_view bytes) {
    return base64url_of(sha256_base64(bytes));
}

} // namespace useradmin::crypto
