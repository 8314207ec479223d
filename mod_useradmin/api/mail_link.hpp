// Links by mail (UserAdminMailCommand). better-auth's endpoints accept their tokens.
#pragma once

#include "api/operations.hpp"
#include "crypto/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace useradmin::api {

/// Counts a message to an address. recipient: the user for whom it is counted, by id or address.
/// Returns the error reply if it must not be sent.
std::optional<Reply> count_mail(const Caller& caller, std::string_view recipient,
                                std::string_view email, const Service& service);

/// The token of a link to set a password, and its row for better-auth's reset-password.
class PasswordLink {
  public:
    explicit PasswordLink(mail::Kind kind);

    std::string_view token() const noexcept { return token_.view(); }
    std::string_view identifier() const noexcept { return identifier_.view(); }
    /// Returns the row for a user, valid for the lifetime of this object.
    model::VerificationValue row(std::string_view user_id) const noexcept;

  private:
    mail::Kind kind_;
    std::string id_;
    crypto::Secret token_;
    crypto::Secret identifier_;
};

/// Sends a link with the token to the user. Returns false on failure.
bool send_link(mail::Kind kind, const model::User& user, std::string_view token, const Call& call,
               const Service& service);

} // namespace useradmin::api
