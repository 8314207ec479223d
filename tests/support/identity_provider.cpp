#include "support/identity_provider.hpp"

#include "support/fail_test.hpp"
#include "support/text.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <ctime>
#include <utility>
#include <vector>

namespace useradmin::test {

namespace {

struct FreeKey {
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, FreeKey>;

PrivateKey make_key() {
    PrivateKey key(EVP_RSA_gen(2048));
    if (!key)
        fail_test("libcrypto made no RSA key");
    return key;
}

/// Returns base64url without padding, as used in JSON Web Tokens (RFC 7515, section 2).
std::string base64url(std::string_view bytes) {
    std::string text = to_base64(bytes);
    while (text.ends_with('='))
        text.pop_back();
    for (char& character : text)
        character = character == '+' ? '-' : character == '/' ? '_' : character;
    return text;
}

/// Returns a parameter of the key, such as the modulus, in base64url.
std::string number_of(const EVP_PKEY* key, const char* name) {
    BIGNUM* number = nullptr;
    if (EVP_PKEY_get_bn_param(key, name, &number) != 1)
        fail_test("libcrypto shows no number of its key");
    std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
    BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
    BN_free(number);
    return base64url(bytes);
}

std::string signature_of(std::string_view text, EVP_PKEY* key) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                          EVP_MD_CTX_free);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = static_cast<std::size_t>(EVP_PKEY_get_size(key));
    std::string signature(size, '\0');
    if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
        EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                       bytes, text.size()) != 1)
        fail_test("libcrypto signed no token");
    signature.resize(size);
    return signature;
}

} // namespace

struct IdentityProvider::Keys {
    PrivateKey published = make_key();
    PrivateKey another = make_key();
};

IdentityProvider::IdentityProvider(const WorkFolder& work)
    : folder_(work.make("provider")), keys_(std::make_unique<Keys>()) {
    // httpd does not serve static files for POST, so this is a CGI script.
    write_file(folder_ / "token", "#!/bin/sh\n"
                                  "printf 'Content-Type: application/json\\n\\n'\n"
                                  "cat \"$(dirname \"$0\")/token.json\"\n");
    std::filesystem::permissions(folder_ / "token", std::filesystem::perms::owner_all |
                                                        std::filesystem::perms::group_read |
                                                        std::filesystem::perms::group_exec |
                                                        std::filesystem::perms::others_read |
                                                        std::filesystem::perms::others_exec);
    HttpdSettings settings{"prefork",
                           {"mod_cgi.so"},
                           "DocumentRoot \"" + folder_.string() +
                               "\"\n<Location \"/token\">\n  SetHandler cgi-script\n"
                               "  Options +ExecCGI\n</Location>\n"};
    httpd_ = std::make_unique<Httpd>(work, std::move(settings));
    std::filesystem::create_directory(folder_ / ".well-known");
    write_file(folder_ / ".well-known/openid-configuration",
               R"({"issuer":")" + issuer() + R"(","authorization_endpoint":")" + issuer() +
                   R"(/authorize","token_endpoint":")" + issuer() + R"(/token","jwks_uri":")" +
                   issuer() +
                   R"(/keys","response_types_supported":["code"],"subject_types_supported":)"
                   R"(["public"],"id_token_signing_alg_values_supported":["RS256"]})");
    write_file(folder_ / "keys",
               R"({"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"1","n":")" +
                   number_of(keys_->published.get(), OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
                   number_of(keys_->published.get(), OSSL_PKEY_PARAM_RSA_E) + R"("}]})");
}

IdentityProvider::~IdentityProvider() = default;

std::string IdentityProvider::issuer() const {
    return "http://127.0.0.1:" + std::to_string(httpd_->port());
}

void IdentityProvider::issue_tokens(std::string_view client, std::string_view claims, Key key) {
    const long now = static_cast<long>(std::time(nullptr));
    const std::string body =
        base64url(R"({"alg":"RS256","typ":"JWT","kid":"1"})") + "." +
        base64url(R"({"iss":")" + issuer() + R"(","aud":")" + std::string(client) + R"(","iat":)" +
                  std::to_string(now) + R"(,"exp":)" + std::to_string(now + 300) + "," +
                  std::string(claims) + "}");
    const PrivateKey& signer = key == Key::published ? keys_->published : keys_->another;
    write_file(folder_ / "token.json",
               R"({"access_token":"none","token_type":"Bearer","id_token":")" + body + "." +
                   base64url(signature_of(body, signer.get())) + R"("})");
}

} // namespace useradmin::test
