#include "password/algorithms.hpp"

#include "crypto/random.hpp"
#include "text/unicode.hpp"

#include <crypt.h>

#include <algorithm>
#include <memory>
#include <string>

namespace useradmin::password {

namespace {

constexpr std::size_t bcrypt_salt_size = 16;
constexpr std::size_t bcrypt_setting_size = 29; // up to the end of the salt
constexpr std::size_t bcrypt_stored_size = bcrypt_setting_size + 31;

struct WipeAndDelete {
    void operator()(crypt_data* data) const noexcept {
        crypto::wipe(data, sizeof *data);
        delete data;
    }
};

/// Hashes the password with a setting (prefix, cost and salt). Returns std::nullopt if libcrypt
/// fails or the password contains U+0000.
std::optional<crypto::Secret> derive_bcrypt(const std::string& setting, std::string_view password) {
    // libcrypt would ignore everything after U+0000.
    if (password.find('\0') != password.npos)
        return std::nullopt;
    const std::unique_ptr<crypt_data, WipeAndDelete> data(new crypt_data());
    // libcrypt rejects passwords of 512 bytes or more, although bcrypt uses only the first 72.
    const std::string_view hashed = password.substr(0, max_bcrypt_bytes);
    std::string terminated;
    terminated.reserve(hashed.size() + 1);
    const crypto::Secret phrase(std::move(terminated += hashed));
    const char* const hash = crypt_r(phrase.view().data(), setting.c_str(), data.get());
    if (hash == nullptr || std::string_view(hash).size() != bcrypt_stored_size)
        return std::nullopt;
    return crypto::Secret(std::string(hash));
}

} // namespace

std::optional<crypto::Secret> hash_bcrypt(const Bcrypt& work, std::string_view password) {
    crypto::SecretBytes<bcrypt_salt_size> salt;
    crypto::random_bytes({salt.data(), salt.size()});
    char setting[CRYPT_GENSALT_OUTPUT_SIZE];
    if (crypt_gensalt_rn("$2b$", work.cost, salt.view().data(), static_cast<int>(salt.size()),
                         setting, sizeof setting) == nullptr)
        return std::nullopt;
    return derive_bcrypt(setting, password);
}

Verdict verify_bcrypt(std::string_view stored, std::string_view password) {
    if (!bcrypt_format_of(stored))
        return Verdict::unsupported;
    if (password.find('\0') != password.npos)
        return Verdict::mismatch;
    const auto hash = derive_bcrypt(std::string(stored.substr(0, bcrypt_setting_size)), password);
    if (!hash)
        return Verdict::unsupported;
    // Skip the setting, because libcrypt clears the unused bits in the last character of the salt.
    return crypto::constant_time_equal(hash->view().substr(bcrypt_setting_size),
                                       stored.substr(bcrypt_setting_size))
               ? Verdict::match
               : Verdict::mismatch;
}

std::optional<Bcrypt> bcrypt_format_of(std::string_view stored) noexcept {
    const auto is_digit = [](char character) { return character >= '0' && character <= '9'; };
    const auto is_of_alphabet = [](char character) {
        return text::is_alphanumeric(character) || character == '.' || character == '/';
    };
    constexpr std::size_t head_size = 7;
    if (stored.size() != bcrypt_stored_size || !stored.starts_with("$2") ||
        std::string_view("aby").find(stored[2]) == std::string_view::npos || stored[3] != '$' ||
        !is_digit(stored[4]) || !is_digit(stored[5]) || stored[6] != '$' ||
        !std::all_of(stored.begin() + head_size, stored.end(), is_of_alphabet))
        return std::nullopt;
    const auto cost = static_cast<std::uint32_t>((stored[4] - '0') * 10 + (stored[5] - '0'));
    if (cost < min_bcrypt_cost || cost > max_bcrypt_cost)
        return std::nullopt;
    return Bcrypt{cost};
}

} // namespace useradmin::password
