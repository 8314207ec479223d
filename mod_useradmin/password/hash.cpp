#include "password/hash.hpp"

#include "password/algorithms.hpp"

namespace useradmin::password {

std::optional<crypto::Secret> hash(const Format& format, std::string_view password) {
    if (password.size() > max_password_bytes)
        return std::nullopt;
    if (const auto* const argon2id = std::get_if<Argon2id>(&format))
        return hash_argon2id(*argon2id, password);
    if (const auto* const bcrypt = std::get_if<Bcrypt>(&format))
        return hash_bcrypt(*bcrypt, password);
    return hash_scrypt(password);
}

Verdict verify(std::string_view stored, std::string_view password) {
    if (password.size() > max_password_bytes)
        return Verdict::mismatch; // longer than any hashed password
    if (stored.starts_with("$2"))
        return verify_bcrypt(stored, password);
    return stored.starts_with('$') ? verify_argon2id(stored, password)
                                   : verify_scrypt(stored, password);
}

std::optional<Format> format_of(std::string_view stored) {
    if (const auto argon2id = argon2id_format_of(stored))
        return *argon2id;
    if (const auto bcrypt = bcrypt_format_of(stored))
        return *bcrypt;
    return is_scrypt(stored) ? std::optional<Format>(Scrypt()) : std::nullopt;
}

bool is_legacy(const Format& format) noexcept {
    return std::holds_alternative<Bcrypt>(format);
}

} // namespace useradmin::password
