#include "crypto/signature.hpp"

#include "crypto/secret.hpp"
#include "crypto/sha256.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <climits>
#include <new>

namespace useradmin::crypto {

namespace {

Secret compute_signature(std::string_view token, std::string_view secret) {
    SecretBytes<32> digest;
    if (secret.size() > INT_MAX ||
        HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
             reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data(),
             nullptr) == nullptr)
        throw std::bad_alloc();
    return Secret(base64_of(digest.view()));
}

} // namespace

std::string sign(std::string_view token, std::string_view secret) {
    const Secret signature = compute_signature(token, secret);
    std::string value;
    value.reserve(token.size() + 1 + signature.view().size()); // avoids copies left by reallocation
    ((value += token) += '.') += signature.view();
    return value; // moved, not copied
}

std::string sign_base64url(std::string_view text, std::string_view secret) {
    return base64url_of(std::string(compute_signature(text, secret).view()));
}

std::optional<std::string_view> verify_signature(std::string_view signed_value,
                                                 std::string_view secret) {
    const std::size_t dot = signed_value.rfind('.');
    if (dot == signed_value.npos)
        return std::nullopt;
    const std::string_view token = signed_value.substr(0, dot);
    const Secret wanted = compute_signature(token, secret);
    if (!constant_time_equal(signed_value.substr(dot + 1), wanted.view()))
        return std::nullopt;
    return token;
}

std::optional<std::string_view> verify_signature(std::string_view signed_value,
                                                 SigningSecrets secrets) {
    std::optional<std::string_view> token;
    for (const std::string_view secret : secrets)
        if (const auto found = verify_signature(signed_value, secret))
            token = found;
    return token;
}

} // namespace useradmin::crypto
