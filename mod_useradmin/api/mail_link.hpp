// Mailed links (UserAdminMailCommand). better-auth's own endpoints accept the tokens.
#pragma once

#include "api/operations.hpp"
#include "crypto/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::api {

/// Counts a message against the limits. recipient is the user's id or address and identifies the
/// per-user counter. Returns the error response if the message must not be sent, otherwise
/// std::nullopt.
std::optional<Response> count_mail(const Caller& caller, std::string_view recipient,
                                   std::string_view email, const Service& service);

/// Creates the token of a password link, and the database row that better-auth's reset-password
/// reads to check the token.
class PasswordLink {
  public:
    explicit PasswordLink(mail::Kind kind);

    std::string_view token() const noexcept { return token_.view(); }
    std::string_view identifier() const noexcept { return identifier_.view(); }
    /// Returns the row for a user. It is valid for the lifetime of this object.
    model::VerificationValue row(std::string_view user_id) const noexcept;

  private:
    mail::Kind kind_;
    std::string id_;
    crypto::Secret token_;
    crypto::Secret identifier_;
};

/// Sends the user a link with the token. Returns false on failure.
bool send_link(mail::Kind kind, const model::User& user, std::string_view token, const Call& call,
               const Service& service);

} // namespace useradmin::api
