#include "secret/signature.hpp"

#include "secret/secret.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <climits>

namespace useradmin::secret {

namespace {

constexpr std::size_t digest_size = 32;
constexpr std::size_t base64_size = 44;

std::string signature_of(std::string_view token, std::string_view secret) {
    unsigned char digest[digest_size];
    unsigned length = sizeof digest;
    if (secret.size() > INT_MAX ||
        HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
             reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest,
             &length) == nullptr)
        return {};
    unsigned char text[base64_size + 1];
    EVP_EncodeBlock(text, digest, static_cast<int>(length));
    return {reinterpret_cast<const char*>(text), base64_size};
}

} // namespace

std::string sign(std::string_view token, std::string_view secret) {
    return std::string(token) + "." + signature_of(token, secret);
}

std::optional<std::string_view> verified(std::string_view signed_value, std::string_view secret) {
    const std::size_t dot = signed_value.rfind('.');
    if (dot == signed_value.npos)
        return std::nullopt;
    const std::string_view token = signed_value.substr(0, dot);
    const std::string wanted = signature_of(token, secret);
    if (wanted.empty() || !equal_secrets(signed_value.substr(dot + 1), wanted))
        return std::nullopt;
    return token;
}

} // namespace useradmin::secret
