// The SHA-256 of texts.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st; // OpenSSL's EVP_MD_CTX

namespace useradmin::secret {

using Digest = std::array<unsigned char, 32>;

/// Of the texts one after another, each with its length: no two lists of texts are the same bytes.
/// Throws std::bad_alloc where there is no memory.
Digest digest(std::span<const std::string_view> texts);
inline Digest digest(std::initializer_list<std::string_view> texts) {
    return digest(std::span(texts.begin(), texts.size()));
}

/// As 64 digits in lower case.
std::string hex(const Digest& digest);

/// Of the bytes alone, as sha256sum prints it: 64 digits in lower case. Throws like the other.
std::string sha256(std::string_view bytes);

/// The same as base64: what a Content-Security-Policy calls a hash. Throws like the others.
std::string sha256_base64(std::string_view bytes);

/// The same of bytes that come one after another. Throws like the others.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::string_view bytes);
    /// Of the bytes so far; more may follow.
    std::string so_far() const;

  private:
    evp_md_ctx_st* context_;
};

} // namespace useradmin::secret
