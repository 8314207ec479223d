#pragma once

#include "crypto/secret.hpp"
#include "sign_in/service.hpp"
#include "text/unicode.hpp"

namespace useradmin::sign_in {

/// Returns the User-Agent for a session row: at most 512 bytes, and empty if it is not valid UTF-8.
inline std::string_view user_agent_of(const http::Headers& headers) noexcept {
    const std::string_view text = headers.find("User-Agent");
    return text::is_clean_utf8(text) ? text::utf8_prefix(text, 512) : std::string_view();
}

/// Creates a session for a verified user and returns its token. Fails with version_mismatch if the
/// account has changed since it was verified.
store::Result<crypto::Secret> open_session(const SignInResult& result, bool is_remembered,
                                           const http::Request& request, const Client& client,
                                           const Service& service);

} // namespace useradmin::sign_in
