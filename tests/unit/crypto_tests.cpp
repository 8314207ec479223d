// Encryption compatible with better-auth, and one-time passwords.
#include "crypto/encryption.hpp"
#include "crypto/totp.hpp"

#include <array>
#include <string>

#include <CppUTest/TestHarness.h>

namespace useradmin::test {

namespace {

constexpr std::string_view secret = "a secret of thirty-two characters";
// '["aaaaa-bbbbb","ccccc-ddddd"]', encrypted by @noble/ciphers, the library that better-auth uses.
constexpr std::string_view encrypted =
    "000102030405060708090a0b0c0d0e0f1011121314151617701eadf76239860842bd9cd0c8166bc918908d5ed98d"
    "6c32ab90a0a49d9e22299fb7708f128259f1863b0d6138";
constexpr std::string_view plain = R"(["aaaaa-bbbbb","ccccc-ddddd"])";

std::string text_of(std::string_view text, crypto::SigningSecrets secrets) {
    const auto decrypted = crypto::decrypt(text, secrets);
    return decrypted ? std::string(decrypted->text.view()) : "nothing";
}

text::Timestamp at(std::int64_t seconds) {
    return text::Timestamp(std::chrono::seconds(seconds));
}

} // namespace

TEST_GROUP(encryption) {
    std::array<std::string_view, 2> secrets{"another secret of the same length", secret};
};

TEST(encryption, decrypts_what_better_auth_encrypts_with_any_of_the_secrets) {
    CHECK_EQUAL(std::string(plain), text_of(encrypted, secrets));
    CHECK_EQUAL(std::string("nothing"), text_of(encrypted, {secrets.data(), 1}));
    CHECK_EQUAL(std::string("nothing"), text_of(encrypted, {}));
}

TEST(encryption, decrypts_a_string_with_the_version_of_its_secret) {
    CHECK_EQUAL(std::string(plain), text_of("$ba$12$" + std::string(encrypted), secrets));
}

TEST(encryption, rejects_a_changed_or_malformed_string) {
    for (std::size_t index = 0; index < encrypted.size(); ++index) {
        std::string changed(encrypted);
        changed[index] = changed[index] == '0' ? '1' : '0';
        CHECK_EQUAL(std::string("nothing"), text_of(changed, secrets));
        CHECK_EQUAL(std::string("nothing"), text_of(encrypted.substr(0, index), secrets));
    }
    for (const std::string text : {"$ba$1", "$ba$1$", "[\"aaaaa-bbbbb\"]", "", "zz"})
        CHECK_EQUAL(std::string("nothing"), text_of(text, secrets));
}

TEST(encryption, encrypts_like_an_existing_string) {
    for (const std::string prefix : {"", "$ba$3$"}) {
        const std::string before = prefix + std::string(encrypted);
        const auto decrypted = crypto::decrypt(before, secrets);
        const std::string again = crypto::encrypt("[]", *decrypted);
        STRCMP_CONTAINS(prefix.c_str(), again.substr(0, prefix.size()).c_str());
        CHECK_EQUAL(std::string("[]"), text_of(again, {&secrets[1], 1}));
        CHECK_FALSE(again == crypto::encrypt("[]", *decrypted));
    }
}

TEST_GROUP(totp){};

// The last 6 of the 8 digits in RFC 6238, appendix B.
TEST(totp, accepts_the_codes_of_RFC_6238) {
    constexpr std::string_view key = "12345678901234567890";
    CHECK_TRUE(crypto::verify_totp("287082", key, at(59)).has_value());
    CHECK_TRUE(crypto::verify_totp("081804", key, at(1111111109)).has_value());
    CHECK_TRUE(crypto::verify_totp("050471", key, at(1111111111)).has_value());
    CHECK_TRUE(crypto::verify_totp("005924", key, at(1234567890)).has_value());
    CHECK_TRUE(crypto::verify_totp("353130", key, at(20000000000)).has_value());
}

TEST(totp, accepts_the_codes_of_the_steps_before_and_after) {
    constexpr std::string_view key = "12345678901234567890";
    for (const std::int64_t seconds : {1111111080 - 30, 1111111080, 1111111080 + 59})
        CHECK_TRUE(crypto::verify_totp("081804", key, at(seconds)).has_value());
    for (const std::int64_t seconds : {1111111080 - 31, 1111111080 + 60})
        CHECK_FALSE(crypto::verify_totp("081804", key, at(seconds)).has_value());
}

TEST(totp, rejects_other_codes_and_an_empty_key) {
    constexpr std::string_view key = "12345678901234567890";
    for (const std::string_view code : {"", "81804", "0081804", "081805", "08180", " 081804"})
        CHECK_FALSE(crypto::verify_totp(code, key, at(1111111109)).has_value());
    CHECK_FALSE(crypto::verify_totp("081804", "", at(1111111109)).has_value());
}

TEST(totp, reads_a_key_in_base32) {
    for (const std::string_view key :
         {"base32:GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "base32:gezdgnbvgy3tqojqgezdgnbvgy3tqojq",
          "base32:GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ===="})
        CHECK_TRUE(crypto::verify_totp("081804", key, at(1111111109)).has_value());
    CHECK_FALSE(
        crypto::verify_totp("081804", "base32:GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJ1", at(1111111109))
            .has_value());
    CHECK_FALSE(crypto::verify_totp("081804", "base32:", at(1111111109)).has_value());
}

} // namespace useradmin::test
