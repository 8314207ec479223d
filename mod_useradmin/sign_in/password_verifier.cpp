#include "sign_in/password_verifier.hpp"

#include "password/hasher.hpp"

#include <utility>

namespace useradmin::sign_in {

PasswordVerdict BoundedPasswordVerifier::verify(std::uint64_t account,
                                                const std::optional<std::string_view>& stored,
                                                std::string_view password,
                                                const std::function<bool()>& may_continue) {
    const auto slot = slots_.acquire(account);
    if (std::holds_alternative<password::HashSlots::AcquireError>(slot))
        return PasswordVerdict::busy;
    if (!may_continue())
        return PasswordVerdict::canceled;
    const std::optional<password::Format> own =
        stored ? password::format_of(*stored) : std::nullopt;
    if (own)
        formats_.add(*own);
    const password::Verdict verdict =
        own ? verify_hash(*stored, password) : password::Verdict::unsupported;
    if (verdict == password::Verdict::match)
        return PasswordVerdict::match;
    for (const password::Format& format : formats_.all())
        if (own != format)
            hash_and_discard(format, password);
    return stored && verdict == password::Verdict::unsupported ? PasswordVerdict::unsupported
                                                               : PasswordVerdict::mismatch;
}

std::optional<crypto::Secret> BoundedPasswordVerifier::rehash(std::string_view stored,
                                                              std::string_view password) {
    const std::optional<password::Format> own = password::format_of(stored);
    if (!own || !password::is_legacy(*own))
        return std::nullopt;
    // bcrypt uses only the first 72 bytes of a password. If the user mistyped the rest, a new hash
    // would lock the user out.
    if (password.size() >= password::max_bcrypt_bytes)
        return std::nullopt;
    auto made = password::BoundedHasher(format_, slots_).hash(password);
    auto* const hash = std::get_if<crypto::Secret>(&made);
    return hash != nullptr ? std::optional(std::move(*hash)) : std::nullopt;
}

} // namespace useradmin::sign_in
