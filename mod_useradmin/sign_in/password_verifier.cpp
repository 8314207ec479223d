#include "sign_in/password_verifier.hpp"

namespace useradmin::sign_in {

PasswordVerdict BoundedPasswordVerifier::verify(const std::optional<std::string_view>& stored,
                                                std::string_view password,
                                                const std::function<bool()>& is_wanted) {
    const auto slot = slots_.acquire(timeout_);
    if (!slot)
        return PasswordVerdict::busy;
    if (!is_wanted())
        return PasswordVerdict::stopped;
    const password::Verdict verdict =
        stored ? password::verify(*stored, password) : password::Verdict::refused;
    if (verdict == password::Verdict::match)
        return PasswordVerdict::match;
    if (verdict == password::Verdict::mismatch)
        return PasswordVerdict::mismatch;
    static_cast<void>(password::hash(format_, password));
    return stored ? PasswordVerdict::refused : PasswordVerdict::mismatch;
}

} // namespace useradmin::sign_in
